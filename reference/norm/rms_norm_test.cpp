// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Root-mean-square norm by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TestCall norm(const Shape& shape, const std::vector<double>& x, const std::vector<double>& weight, double eps) {
  TestCall call("rms_norm");
  call.in("x", shape, x)
      .in("weight", {static_cast<int64_t>(weight.size())}, weight)
      .param("eps", eps)
      .out("out", shape);
  return call;
}

TEST(RmsNorm, ScalesByOnePlusWeight) {
  // Mean square 4, inverse root 1/2: normalised 1, -1, 1, -1.
  const auto out = norm({1, 4}, {2, -2, 2, -2}, {0, 1, -1, 0.5}, 0.0).exact()["out"];

  EXPECT_THAT(out, ElementsAre(1, -2, 0, -1.5));
}

TEST(RmsNorm, AddsEpsilonInsideTheRoot) {
  // Mean square 1, plus 3: the root is 2, and 2 / 2 = 1. With eps outside the root it would be 2 / (1 + 3).
  const auto out = norm({1, 4}, {0, 0, 0, 2}, {0, 0, 0, 0}, 3.0).exact()["out"];

  EXPECT_THAT(out, ElementsAre(0, 0, 0, 1));
}

TEST(RmsNorm, EpsilonIsABinary32Constant) {
  // 2^-20 / (2^-20 + 1e-6) in floats; with the binary64 epsilon the sum rounds to the next one.
  EXPECT_THAT(norm({1, 1}, {0x1p-10}, {0}, 1e-6).oracle(DType::f32)["out"], ElementsAre(0x1.65b878p-1));
}

TEST(RmsNorm, NormalisesEveryRowOfTheLastAxisAlone) {
  const auto out = norm({1, 2, 2}, {2, 2, 8, -8}, {0, 0}, 0.0).exact()["out"];

  EXPECT_THAT(out, ElementsAre(1, 1, 1, -1));
}

TEST(RmsNorm, SubtractsNoMean) {
  EXPECT_THAT(norm({1, 2}, {3, 3}, {0, 0}, 0.0).exact()["out"], ElementsAre(DoubleEq(1), DoubleEq(1)));
}

TEST(RmsNorm, RoundsOnceAtTheEnd) {
  // 3 and 4 over sqrt(12.5): 0.848528 and 1.131371; with the gain 1.5 the second is 1.697056 = 217.22 / 128.
  const TestCall call = norm({1, 2}, {3, 4}, {0, 0.5}, 0.0);

  EXPECT_THAT(call.exact()["out"], ElementsAre(DoubleEq(3 / std::sqrt(12.5)), DoubleEq(6 / std::sqrt(12.5))));
  // 0.848528 = 217.22 / 256 goes down. The plain norm of other models would round 1.131371 up to 145/128 first,
  // and 1.5 * 145/128 = 217.5 / 128 to 218/128.
  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(217.0 / 256, 217.0 / 128));
}

TEST(RmsNorm, PlainNormScalesByTheWeightItself) {
  TestCall call = norm({1, 4}, {2, -2, 2, -2}, {0, 1, -1, 0.5}, 0.0);

  EXPECT_THAT(call.param("gain_offset", 0.0).exact()["out"], ElementsAre(0, -1, -1, -0.5));
}

TEST(RmsNorm, PlainNormsOfAProfileRoundTwice) {
  // 1.131371 is first rounded up to 145/128; then 1.5 * 145/128 = 217.5/128 is rounded to 218/128.
  TestCall call = norm({1, 2}, {3, 4}, {1, 1.5}, 0.0);
  call.param("gain_offset", 0.0);

  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(217.0 / 256, 217.0 / 128));
  EXPECT_THAT(call.oracle(DType::bf16, {{"rms_norm.normalised", Precision::working}})["out"],
              ElementsAre(217.0 / 256, 218.0 / 128));
}

TEST(RmsNorm, ComputesInBinary32BeforeItRounds) {
  // For x = 1 + 2^-10, x^2 = 1 + 2^-9 + 2^-20 fits in binary32, but the mean of 1 and x^2 plus eps does not.
  const float x = 1.0F + 0x1p-10F;
  const float mean = (1.0F + x * x) / 2.0F;
  const float shifted = mean + 1e-3F;
  const auto inverse = static_cast<float>(1.0 / std::sqrt(static_cast<double>(shifted)));

  const auto out = norm({1, 2}, {1, static_cast<double>(x)}, {0, 0x1p-9}, 1e-3).oracle(DType::f32)["out"];

  EXPECT_EQ(out[0], static_cast<double>(inverse));
  EXPECT_EQ(out[1], static_cast<double>(x * inverse * (1.0F + 0x1p-9F)));
}

TEST(RmsNorm, ZeroRowsStayZero) {
  EXPECT_THAT(norm({1, 2}, {0, 0}, {3, 3}, 1e-6).oracle(DType::bf16)["out"], ElementsAre(0, 0));
}

}  // namespace
}  // namespace parity::reference
