// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Output gate by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TestCall gated(const std::vector<double>& gate, const std::vector<double>& x) {
  const auto width = static_cast<int64_t>(x.size());
  TestCall call("sigmoid_gate");
  call.in("gate", {1, width}, gate).in("x", {1, width}, x).out("out", {1, width});
  return call;
}

TEST(SigmoidGate, OnlyTheGateGoesThroughTheSigmoid) {
  EXPECT_THAT(gated({std::log(3.0), 0.0}, {-4.0, 100.0}).exact()["out"], ElementsAre(DoubleEq(-3.0), 50.0));
}

TEST(SigmoidGate, RoundsTheSigmoidBeforeTheProduct) {
  // sigmoid(105/128) = 177.7 / 256 rounds to 178; 3 * 178 = 534 / 256 rounds up to 536. One rounding gives 533 -> 532.
  EXPECT_THAT(gated({105.0 / 128}, {3.0}).oracle(DType::bf16)["out"], ElementsAre(536.0 / 256));
}

}  // namespace
}  // namespace parity::reference
