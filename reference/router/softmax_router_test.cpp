// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Softmax router by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

TestCall route(const std::vector<double>& logits, int64_t top_k) {
  const auto experts = static_cast<int64_t>(logits.size());
  TestCall call("softmax_router");
  call.in("logits", {1, experts}, logits).param("top_k", top_k);
  call.out("scores", {1, experts}).out("indices", {1, top_k}).out("weights", {1, top_k});
  return call;
}

TEST(SoftmaxRouter, ScoresAreProbabilitiesOverAllExperts) {
  const TestOutputs out = route({0, std::log(3.0), std::log(4.0)}, 2).exact();

  EXPECT_THAT(out["scores"], ElementsAre(DoubleEq(0.125), DoubleEq(0.375), DoubleEq(0.5)));
  EXPECT_THAT(out.ids("indices"), ElementsAre(2, 1));
  EXPECT_THAT(out["weights"], ElementsAre(DoubleEq(0.5 / 0.875), DoubleEq(0.375 / 0.875)));
}

TEST(SoftmaxRouter, RoundsWeightsToTAndScoresToBinary32) {
  // Logits 3/8, 0, -1: weights 0.59267 and 0.40733, 151.72 / 256 and 104.28 / 256; bf16's spacing there is 1 and 1/2.
  const TestOutputs out = route({0.375, 0, -1}, 2).oracle(DType::bf16);

  EXPECT_THAT(out["weights"], ElementsAre(152.0 / 256, 104.5 / 256));
  EXPECT_EQ(out["scores"][0], static_cast<double>(static_cast<float>(out["scores"][0])));
  EXPECT_NE(out["scores"][0], round_to(DType::bf16, out["scores"][0]));
}

TEST(SoftmaxRouter, LargeLogitsDoNotOverflow) {
  EXPECT_THAT(route({2000, 0}, 1).oracle(DType::f32)["scores"], ElementsAre(1, 0));
}

TEST(SoftmaxRouter, BoundCoversTheRoundingOfTheDifferenceToTheLargest) {
  const double small = static_cast<float>(-72.9), large = static_cast<float>(0.1);
  const TestOutputs bounded = route({large, small}, 1).bounded(DType::f32);
  const double kernel = std::exp(static_cast<double>(static_cast<float>(small) - static_cast<float>(large)));

  EXPECT_LE(std::abs(kernel - bounded["scores"][1]), bounded.noise.at("scores").f64()[1]);
  EXPECT_GE(bounded.noise.at("scores").f64()[1], 73.0 * 0x1p-24 * bounded["scores"][1]);
}

TEST(SoftmaxRouter, WeightsFollowAForcedOrder) {
  TestCall call = route({0, std::log(3.0), std::log(4.0)}, 2);
  call.ids("forced", {1, 2}, {0, 2});

  const TestOutputs out = call.exact();

  EXPECT_THAT(out.ids("indices"), ElementsAre(0, 2));
  EXPECT_THAT(out["weights"], ElementsAre(DoubleEq(0.2), DoubleEq(0.8)));
}

}  // namespace
}  // namespace parity::reference
