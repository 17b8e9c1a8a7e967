// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Router by hand. sigmoid(ln 3) = 3/4, sigmoid(0) = 1/2, sigmoid(-ln 3) = 1/4.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

const double kLn3 = std::log(3.0);

TestCall route(const std::vector<double>& logits, const std::vector<double>& bias, int64_t top_k) {
  const auto experts = static_cast<int64_t>(bias.size());
  const auto tokens = static_cast<int64_t>(logits.size()) / experts;
  TestCall call("router");
  call.in("logits", {tokens, experts}, logits).in("bias", {experts}, bias).param("top_k", top_k);
  call.out("scores", {tokens, experts})
      .out("choice", {tokens, experts})
      .out("indices", {tokens, top_k})
      .out("weights", {tokens, top_k});
  return call;
}

TEST(Router, ScoresAreSigmoidsAndChoiceAddsTheBias) {
  const auto out = route({kLn3, 0, -kLn3}, {0, 0.25, 1}, 2).exact();

  EXPECT_THAT(out["scores"], ElementsAre(DoubleEq(0.75), 0.5, DoubleEq(0.25)));
  EXPECT_THAT(out["choice"], ElementsAre(DoubleEq(0.75), 0.75, DoubleEq(1.25)));
}

TEST(Router, BiasDecidesTheChoiceAndWeightsStayUnbiased) {
  // Choice scores 0.75, 0.5, 1.25: experts 2 and 0, with weights 0.25 and 0.75 over their sum 1.
  const auto out = route({kLn3, 0, -kLn3}, {0, 0, 1}, 2).exact();

  EXPECT_THAT(out.ids("indices"), ElementsAre(2, 0));
  EXPECT_THAT(out["weights"], ElementsAre(DoubleEq(0.25), DoubleEq(0.75)));
}

TEST(Router, WeightsAreRenormalisedOverTheChosen) {
  // Experts 0 and 1: 0.75 and 0.5 over 1.25.
  const auto out = route({kLn3, 0, -kLn3}, {0, 0, 0}, 2).exact();

  EXPECT_THAT(out.ids("indices"), ElementsAre(0, 1));
  EXPECT_THAT(out["weights"], ElementsAre(DoubleEq(0.6), DoubleEq(0.4)));
}

TEST(Router, TiesGoToTheSmallerExpert) {
  EXPECT_THAT(route({0, 0, 0, 0}, {0, 1, 0, 1}, 3).exact().ids("indices"), ElementsAre(1, 3, 0));
}

TEST(Router, TokensAreRoutedAlone) {
  const auto out = route({kLn3, 0, 0, kLn3}, {0, 0}, 1).exact();

  EXPECT_THAT(out.ids("indices"), ElementsAre(0, 1));
  EXPECT_THAT(out["weights"], ElementsAre(1, 1));
}

TEST(Router, ForcedOrderIsRepeatedAndWeighted) {
  TestCall call = route({kLn3, 0, -kLn3}, {0, 0, 1}, 2);
  call.ids("forced", {1, 2}, {0, 2});

  const auto out = call.exact();

  EXPECT_THAT(out.ids("indices"), ElementsAre(0, 2));
  EXPECT_THAT(out["weights"], ElementsAre(DoubleEq(0.75), DoubleEq(0.25)));
}

TEST(Router, ForcedExpertsNeedNotBeTheBest) {
  TestCall call = route({kLn3, 0, -kLn3}, {0, 0, 1}, 2);
  call.ids("forced", {1, 2}, {1, 2});

  EXPECT_THAT(call.exact()["weights"], ElementsAre(DoubleEq(2.0 / 3), DoubleEq(1.0 / 3)));
}

TEST(Router, ForcedIdsOutsideTheExpertsWeighNothing) {
  TestCall call = route({kLn3, 0, -kLn3}, {0, 0, 0}, 3);
  call.ids("forced", {1, 3}, {3, 0, -1});

  const auto out = call.exact();

  EXPECT_THAT(out.ids("indices"), ElementsAre(3, 0, -1));
  EXPECT_THAT(out["weights"], ElementsAre(0, 1, 0));
}

TEST(Router, ThereIsNoEpsilonUnderTheRenormalisation) {
  const auto out = route({-1000, -1000}, {0, 1}, 1).exact();  // both sigmoids are 0

  EXPECT_THAT(out.ids("indices"), ElementsAre(1));
  EXPECT_TRUE(std::isnan(out["weights"][0]));
}

TEST(Router, RoundsToBinary32AndNotToTheWorkingType) {
  const auto out = route({1, 1, 1}, {0.1, 0, 0}, 3).oracle(DType::bf16);
  const auto score = static_cast<float>(1 / (1 + std::exp(-1.0)));

  EXPECT_EQ(out["scores"][0], static_cast<double>(score));
  EXPECT_EQ(out["choice"][0], static_cast<double>(static_cast<float>(static_cast<double>(score) + 0.1)));
  EXPECT_EQ(out["weights"][0], static_cast<double>(score / static_cast<float>(3.0 * static_cast<double>(score))));
}

TEST(Router, ChoosesByTheRoundedChoiceScores) {
  // Biases differ by 2^-26: in binary32, 0.5 + bias is a tie, which expert 0 wins; exactly, expert 1 is first.
  const TestCall call = route({0, 0}, {0.25, 0.25 + 0x1p-26}, 1);

  EXPECT_THAT(call.exact().ids("indices"), ElementsAre(1));
  EXPECT_THAT(call.oracle(DType::bf16).ids("indices"), ElementsAre(0));
}

TEST(Router, ScalesTheRenormalisedWeights) {
  TestCall call("router");
  call.in("logits", {1, 2}, {0, 0}).in("bias", {2}, {0, 0}).param("top_k", int64_t{2}).param("scaling", 3.0);
  call.param("eps", 1.0);
  call.out("scores", {1, 2}).out("choice", {1, 2}).out("indices", {1, 2}).out("weights", {1, 2});

  EXPECT_EQ(call.exact()["weights"], (std::vector<double>{0.75, 0.75}));  // 3 * 0.5 / (1 + 1)
}

}  // namespace
}  // namespace parity::reference
