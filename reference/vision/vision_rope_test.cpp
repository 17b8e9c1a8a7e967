// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rotation of the vision tower by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

/// A call with one patch and one head: x, and the tables cos and sin, as given.
TestCall rope(const std::vector<double>& x, const std::vector<double>& cos, const std::vector<double>& sin) {
  const auto width = static_cast<int64_t>(x.size());
  const auto rotated = static_cast<int64_t>(cos.size());
  TestCall call("vision_rope");
  call.in("x", {1, 1, width}, x).in("cos", {1, rotated}, cos).in("sin", {1, rotated}, sin).out("out", {1, 1, width});
  return call;
}

TEST(VisionRope, PairsChannelsHalfTheRotatedWidthApart) {
  EXPECT_THAT(rope({1, 2, 3, 4}, {0, 1, 0, 1}, {1, 0, 1, 0}).exact()["out"], ElementsAre(-3, 2, 1, 4));
}

TEST(VisionRope, PassesTheChannelsBehind) {
  EXPECT_THAT(rope({1, 2, 3, 4}, {0, 0}, {1, 1}).exact()["out"], ElementsAre(-2, 1, 3, 4));
}

TEST(VisionRope, TakesThePatchsOwnRowForAllHeads) {
  TestCall call("vision_rope");
  call.in("x", {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})
      .in("cos", {2, 2}, {1, 1, 0, 0})
      .in("sin", {2, 2}, {0, 0, 1, 1})
      .out("out", {2, 2, 2});

  EXPECT_THAT(call.exact()["out"], ElementsAre(1, 2, 3, 4, -6, 5, -8, 7));
}

TEST(VisionRope, RoundsEachProductAndTheirSum) {
  // 1.0078125^2 = 1.01568... rounds to 1.015625; adding 2^-8 gives 1.01953125, a tie, which goes to the even 1.015625.
  const double x = 1.0 + 0x1p-7;
  const TestCall call = rope({x, 0x1p-8}, {x, x}, {-1, -1});

  EXPECT_EQ(call.oracle(DType::bf16)["out"][0], 1.0 + 0x1p-6 + 0x1p-7 - 0x1p-7);  // 1.015625 + 2^-8 ties to even
  EXPECT_EQ(call.exact()["out"][0], x * x + 0x1p-8);                              // above the tie: one rounding goes up
  EXPECT_EQ(round_to(DType::bf16, x * x + 0x1p-8), 1.0 + 0x1p-6 + 0x1p-7);
}

}  // namespace
}  // namespace parity::reference
