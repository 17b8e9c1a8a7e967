// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Reading an FP8 cache by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TEST(CacheDequantise, EachHeadIsMultipliedByItsScale) {
  TestCall call("cache_dequantise");
  call.in("codes", {2, 2, 1, 1}, {1, 2, 3, 4}).in("scale", {2}, {3, 0.5}).out("out", {2, 2, 1, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(3, 1, 9, 2));
}

TEST(CacheDequantise, RoundsTheProductToBinary32AndThenToT) {
  // 15 (1 + 2^-23) is 15 + 15 2^-23; binary32 is spaced 2^-20 there.
  TestCall call("cache_dequantise");
  call.in("codes", {1, 1, 1, 1}, {15}).in("scale", {1}, {1 + 0x1p-23}).out("out", {1, 1, 1, 1});

  EXPECT_THAT(call.oracle(DType::f32)["out"], ElementsAre(15 + 0x1p-19));
  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(15));
}

TEST(CacheDequantise, NanAndTheSignOfZeroStay) {
  TestCall call("cache_dequantise");
  call.in("codes", {1, 1, 1, 2}, {std::nan(""), -0.0}).in("scale", {1}, {0.3}).out("out", {1, 1, 1, 2});

  const auto out = call.oracle(DType::bf16)["out"];

  EXPECT_TRUE(std::isnan(out[0]));
  EXPECT_TRUE(out[1] == 0.0 && std::signbit(out[1]));
}

TEST(CacheDequantise, AScaleThatIsNotPositiveIsRefused) {
  ErrorCode code{};
  TestCall call("cache_dequantise");
  call.in("codes", {1, 1, 1, 1}, {1}).in("scale", {1}, {-2}).out("out", {1, 1, 1, 1});

  EXPECT_THAT(error_of(code, [&] { static_cast<void>(call.exact()); }), ::testing::HasSubstr("scale of head 0"));
  EXPECT_EQ(code, ErrorCode::schema);
}

}  // namespace
}  // namespace parity::reference
