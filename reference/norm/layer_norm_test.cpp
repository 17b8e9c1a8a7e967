// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Layer norm by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TestCall layer_norm(const std::vector<double>& x, const std::vector<double>& weight, const std::vector<double>& bias,
                    double eps = 0.0) {
  const auto width = static_cast<int64_t>(weight.size());
  const Shape shape{static_cast<int64_t>(x.size()) / width, width};
  TestCall call("layer_norm");
  call.in("x", shape, x).in("weight", {width}, weight).in("bias", {width}, bias).param("eps", eps).out("out", shape);
  return call;
}

TEST(LayerNorm, SubtractsTheMeanAndDividesByTheDeviation) {
  // Mean 3, biased variance 4.
  EXPECT_THAT(layer_norm({5, 1, 5, 1}, {1, 1, 1, 1}, {0, 0, 0, 0}).exact()["out"], ElementsAre(1, -1, 1, -1));
}

TEST(LayerNorm, MultipliesByTheWeightItselfThenAddsTheBias) {
  EXPECT_THAT(layer_norm({5, 1}, {3, 0.5}, {10, 20}).exact()["out"], ElementsAre(13, 19.5));
}

TEST(LayerNorm, DividesTheVarianceByTheWidth) {
  // Divided by width - 1, the variance would be 1, and the quotient 1.
  EXPECT_THAT(layer_norm({1, 0, -1}, {1, 1, 1}, {0, 0, 0}).exact()["out"],
              ElementsAre(DoubleEq(std::sqrt(1.5)), DoubleEq(0.0), DoubleEq(-std::sqrt(1.5))));
}

TEST(LayerNorm, AddsEpsilonInsideTheRoot) {
  EXPECT_THAT(layer_norm({1, -1}, {1, 1}, {0, 0}, 3.0).exact()["out"], ElementsAre(0.5, -0.5));
}

TEST(LayerNorm, NormalisesEveryRowAlone) {
  EXPECT_THAT(layer_norm({2, 0, 80, 100}, {1, 1}, {0, 0}).exact()["out"], ElementsAre(1, -1, -1, 1));
}

TEST(LayerNorm, RoundsOnceAtTheEnd) {
  // 1 * 1.00390625 + 0.00390625 = 1.0078125. If the product were rounded to bf16 first, the sum would be 1.
  EXPECT_THAT(layer_norm({1, -1}, {1 + 0x1p-8, 1}, {0x1p-8, 0}).oracle(DType::bf16)["out"],
              ElementsAre(1 + 0x1p-7, -1));
}

}  // namespace
}  // namespace parity::reference
