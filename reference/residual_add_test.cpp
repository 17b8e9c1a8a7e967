// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Residual connection by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using testing::ElementsAre;

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

}  // namespace
}  // namespace parity::reference
