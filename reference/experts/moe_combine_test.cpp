// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Combination of routed and shared experts by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TestCall combine(double scaling, const std::vector<double>& routed, const std::vector<double>& shared) {
  const Shape shape{1, static_cast<int64_t>(routed.size())};
  TestCall call("moe_combine");
  call.param("scaling", scaling).in("routed", shape, routed).in("shared", shape, shared).out("out", shape);
  return call;
}

TEST(MoeCombine, ScalesTheRoutedExpertsOnly) {
  EXPECT_THAT(combine(2.0, {1, -2, 0}, {0.5, 1, 3}).exact()["out"], ElementsAre(2.5, -3, 3));
}

TEST(MoeCombine, RoundsTheProductBeforeTheSum) {
  // 2.5 * 129/128 = 2.51953 rounds to 161/64 = 2.515625; the shared expert subtracts 2.5.
  const TestCall call = combine(2.5, {129.0 / 128}, {-2.5});

  EXPECT_THAT(call.exact()["out"], ElementsAre(0.01953125));
  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(0.015625));
}

TEST(MoeCombine, WithoutASharedExpertItIsTheRoutedSum) {
  TestCall call("moe_combine");
  call.param("scaling", 1.0).in("routed", {1, 2}, {129.0 / 128, -3}).out("out", {1, 2});

  EXPECT_THAT(call.exact()["out"], ElementsAre(129.0 / 128, -3));
  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(129.0 / 128, -3));
}

TEST(MoeCombine, TheScalingFactorIsABinary32Constant) {
  // torch: 3 * 2.1 is 0x1.933332p+2, the product of 3 and the float next to 2.1.
  EXPECT_THAT(combine(2.1, {3}, {0}).oracle(DType::f32)["out"], ElementsAre(0x1.933332p+2));
  EXPECT_THAT(combine(2.1, {3}, {0}).exact()["out"], ElementsAre(3 * 2.1));
}

TEST(MoeCombine, RoundsTheSum) {
  EXPECT_THAT(combine(2.0, {128}, {1}).oracle(DType::bf16)["out"], ElementsAre(256));  // 257, a tie
}

}  // namespace
}  // namespace parity::reference
