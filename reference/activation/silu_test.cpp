// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// SiLU by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TestCall silu(const std::vector<double>& x) {
  TestCall call("silu");
  call.in("x", {1, static_cast<int64_t>(x.size())}, x).out("out", {1, static_cast<int64_t>(x.size())});
  return call;
}

TEST(Silu, MultipliesWithTheSigmoid) {
  // sigmoid(log 3) = 3 / 4, sigmoid(-log 3) = 1 / 4.
  const double x = std::log(3.0);

  EXPECT_THAT(silu({x, -x, 0.0}).exact()["out"], ElementsAre(DoubleEq(0.75 * x), DoubleEq(-0.25 * x), 0.0));
}

TEST(Silu, RoundsOnce) {
  // 25/32 sigmoid(25/32) = 137.19 / 256. Rounding the sigmoid to bf16 first would end at 138 / 256.
  EXPECT_THAT(silu({25.0 / 32}).oracle(DType::bf16)["out"], ElementsAre(137.0 / 256));
}

TEST(Silu, VanishesFarBelowZero) { EXPECT_EQ(silu({-1e6}).oracle(DType::bf16).only("out"), 0.0); }

}  // namespace
}  // namespace parity::reference
