// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Residual connection by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

TestCall add(const Shape& shape, const std::vector<double>& residual, const std::vector<double>& branch) {
  TestCall call("residual_add");
  call.in("residual", shape, residual).in("branch", shape, branch).out("out", shape);
  return call;
}

TEST(ResidualAdd, AddsElementByElement) {
  EXPECT_THAT(add({1, 2, 2}, {1, 2, 3, 4}, {0.5, -2, 10, 0}).exact()["out"], ElementsAre(1.5, 0, 13, 4));
}

TEST(ResidualAdd, RoundsTheSumToTheWorkingType) {
  const TestCall call = add({1, 3}, {256, 256, -258}, {1, 3, -1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(257, 259, -259));
  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(256, 260, -260));  // ties to even, down and up
}

TEST(ResidualAdd, BoundIsHalfAnUlpAndTheBinary32Addition) {
  const auto out = add({1, 1}, {3}, {-1}).bounded(DType::bf16);

  EXPECT_EQ(out.rounding.at("out").f64()[0], 0x1p-8 * 2);
  EXPECT_EQ(out.noise.at("out").f64()[0], 4 * 0x1p-24 * 2);
}

TEST(ResidualAdd, WeighsBothBranches) {
  TestCall call("residual_add");
  call.in("residual", {1, 2}, {1, 2}).in("branch", {1, 2}, {10, -20}).out("out", {1, 2});
  call.param("residual_factor", 3.5).param("branch_factor", 0.5);

  EXPECT_THAT(call.exact()["out"], ElementsAre(8.5, -3.0));
}

TEST(ResidualAdd, RoundsEveryWeightedBranch) {
  // 69/64 * 3.5565588 = 122.70 / 32 rounds to 122.5, 0.9 to 230 / 256 = 28.75 / 32; the sum 151.25 / 32 rounds to 151.
  // If only the sum were rounded, the result would be 152: 122.70 + 28.80 = 151.50.
  TestCall call("residual_add");
  call.in("residual", {1, 1}, {69.0 / 64}).in("branch", {1, 1}, {1}).out("out", {1, 1});
  call.param("residual_factor", 3.5565588200778455).param("branch_factor", 0.9);

  EXPECT_EQ(call.oracle(DType::bf16).only("out"), 151.0 / 32);
}

TEST(ResidualAdd, AFactorOfOneCostsNoBound) {
  TestCall call("residual_add");
  call.in("residual", {1, 1}, {1.5}).in("branch", {1, 1}, {0.25}).out("out", {1, 1});
  const double plain = call.bounded().rounding.at("out").f64()[0];
  call.param("residual_factor", 1.5);

  EXPECT_EQ(plain, 1.75 * unit_roundoff(DType::bf16));
  EXPECT_GT(call.bounded().rounding.at("out").f64()[0], 2.0 * plain);
}

}  // namespace
}  // namespace parity::reference
