// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// GELU by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TestCall gelu(const std::vector<double>& x) {
  const Shape shape{1, static_cast<int64_t>(x.size())};
  TestCall call("gelu");
  call.in("x", shape, x).out("out", shape);
  return call;
}

TEST(Gelu, WeighsWithTheNormalDistribution) {
  // Phi(1) = 0.841344746068543, Phi(2) = 0.977249868051821.
  EXPECT_THAT(gelu({0, 1, -1, 2}).exact()["out"],
              ElementsAre(0, DoubleNear(0.841344746068543, 1e-12), DoubleNear(-0.158655253931457, 1e-12),
                          DoubleNear(1.954499736103642, 1e-12)));
}

TEST(Gelu, IsNotTheTanhApproximation) {
  // Near -2.3 the approximation errs most, by 2.3e-4; that is 15 roundings of a bf16 result there.
  const double tanh_form = -1.15 * (1.0 + std::tanh(std::sqrt(2.0 / 3.141592653589793) * (-2.3 - 0.044715 * 12.167)));

  EXPECT_GT(std::abs(gelu({-2.3}).exact().only("out") - tanh_form), 2e-4);
}

TEST(Gelu, LosesTheTailAsBinary32Does) {
  // 1 + erf(-6 / sqrt 2) is 2e-9: less than half a step of binary32 below one.
  EXPECT_LT(gelu({-6}).exact().only("out"), -1e-9);
  EXPECT_EQ(gelu({-6}).oracle(DType::bf16).only("out"), 0.0);
  EXPECT_GE(gelu({-6}).bounded(DType::bf16).noise.at("out").f64()[0], 5e-9);
}

TEST(Gelu, AllowsForTheErrorFunctionOfAnyLibrary) {
  // 16 u of 1 + erf, times x/2 = 1.5; the last rounding to binary32 adds 4 u of 0.004.
  const double noise = gelu({-3}).bounded(DType::f32).noise.at("out").f64()[0];

  EXPECT_GE(noise, 16 * 0x1p-24 * 1.5);
  EXPECT_LE(noise, 24 * 0x1p-24 * 1.5);
}

TEST(Gelu, PassesLargeValues) { EXPECT_THAT(gelu({100, -100}).exact()["out"], ElementsAre(100, 0)); }

}  // namespace
}  // namespace parity::reference
