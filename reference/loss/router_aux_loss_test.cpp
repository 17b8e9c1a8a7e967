// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Load-balancing loss by hand: two experts, logits 0 and ln 3, so the softmax is 1/4 and 3/4.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

const double kLogit = std::log(3.0);
const std::vector<double> kFirst{kLogit, 0};   // prefers expert 0: probabilities 3/4, 1/4
const std::vector<double> kSecond{0, kLogit};  // prefers expert 1

/// A call with `layers` of one row of logits per token.
TestCall aux(const std::vector<std::vector<std::vector<double>>>& layers, const Shape& mask_shape,
             const std::vector<int64_t>& mask, int64_t top_k = 1) {
  TestCall call("router_aux_loss");
  for (const auto& layer : layers) {
    std::vector<double> logits;
    for (const auto& token : layer) logits.insert(logits.end(), token.begin(), token.end());
    call.in("logits", {static_cast<int64_t>(layer.size()), static_cast<int64_t>(layer.front().size())}, logits);
  }
  call.ids("mask", mask_shape, mask).param("top_k", top_k).out("loss", {});
  return call;
}

TEST(RouterAuxLoss, IsOneAtBalance) {
  // f = 1/2, 1/2; p = 1/2, 1/2; 2 (1/4 + 1/4).
  EXPECT_DOUBLE_EQ(aux({{kFirst, kSecond}}, {1, 2}, {1, 1}).exact().only("loss"), 1.0);
}

TEST(RouterAuxLoss, GrowsWhenAllTokensChooseOneExpert) {
  // f = 1, 0; p = 3/4, 1/4; 2 * 3/4.
  EXPECT_DOUBLE_EQ(aux({{kFirst, kFirst}}, {1, 2}, {1, 1}).exact().only("loss"), 1.5);
}

TEST(RouterAuxLoss, IsNotDividedByTheNumberOfSlots) {
  // Every token has every expert in one of its two slots: f sums to 1 for each expert; 2 (3/4 + 1/4).
  EXPECT_DOUBLE_EQ(aux({{kFirst}}, {1, 1}, {1}, 2).exact().only("loss"), 2.0);
}

TEST(RouterAuxLoss, MeansRunOverTheRowsOfAllLayers) {
  // Three rows of four choose expert 0: f = 3/4, 1/4; p = 5/8, 3/8; 2 (15/32 + 3/32). The mean of the layers' own
  // losses, 1.5 and 1, would be 1.25.
  EXPECT_DOUBLE_EQ(aux({{kFirst, kFirst}, {kFirst, kSecond}}, {1, 2}, {1, 1}).exact().only("loss"), 36.0 / 32);
}

TEST(RouterAuxLoss, PaddingWeighsNothing) {
  EXPECT_DOUBLE_EQ(aux({{kFirst, kSecond}}, {1, 2}, {1, 0}).exact().only("loss"), 1.5);
  EXPECT_DOUBLE_EQ(aux({{kFirst, kSecond}}, {1, 2}, {0, 1}).exact().only("loss"), 1.5);
}

TEST(RouterAuxLoss, MaskIsTiledOverTheLayers) {
  // Only the first token of each layer counts: kFirst and kSecond.
  EXPECT_DOUBLE_EQ(aux({{kFirst, kFirst}, {kSecond, kFirst}}, {1, 2}, {1, 0}).exact().only("loss"), 1.0);
}

TEST(RouterAuxLoss, TokensOfACallAreTheLastColumnsOfTheMask) {
  // One token per batch row after two cached slots; the second row is padded only in the cached slots.
  EXPECT_DOUBLE_EQ(aux({{kFirst, kFirst}}, {2, 3}, {1, 1, 1, 0, 0, 1}).exact().only("loss"), 1.5);
  EXPECT_DOUBLE_EQ(aux({{kFirst, kSecond}}, {2, 3}, {1, 1, 0, 0, 0, 1}).exact().only("loss"), 1.5);
}

TEST(RouterAuxLoss, BatchesReadTheirOwnMaskRow) {
  // The tokens are [b=0,s=0], [b=0,s=1], [b=1,s=0], [b=1,s=1]; the second and the third are counted.
  EXPECT_DOUBLE_EQ(aux({{kFirst, kSecond, kSecond, kFirst}}, {2, 2}, {0, 1, 1, 0}).exact().only("loss"), 1.5);
}

TEST(RouterAuxLoss, RoundsTheSoftmaxToTheWorkingType) {
  // Logits ln 2 and 0: 2/3 -> 171/256; sum and mean of one row do not change it. The loss is 2 * 171/256.
  const TestCall call = aux({{{std::log(2.0), 0}}}, {1, 1}, {1});

  EXPECT_DOUBLE_EQ(call.exact().only("loss"), 4.0 / 3);
  EXPECT_EQ(call.oracle(DType::bf16).only("loss"), 2 * 171.0 / 256);
}

TEST(RouterAuxLoss, RoundsTheColumnSumsToTheWorkingType) {
  // 257 tokens with probability 1: the sum 257 is 256 in bf16, its mean 256/257 rounds to 1 - 2^-8.
  const TestCall call = aux({std::vector<std::vector<double>>(257, {1000, 0})}, {1, 257}, std::vector<int64_t>(257, 1));

  EXPECT_EQ(call.exact().only("loss"), 2.0);
  EXPECT_EQ(call.oracle(DType::bf16).only("loss"), 2 * (1 - 0x1p-8));
}

TEST(RouterAuxLoss, SharesAreBinary32PerSlotOrPooled) {
  // Three tokens with two slots each: kFirst twice, kSecond once; f is 2/3, 1/3 in the first slot, 1/3, 2/3 in the second.
  // p = 7/12, 5/12. Pooled, both experts have f = 1.
  TestCall call = aux({{kFirst, kFirst, kSecond}}, {1, 3}, {1, 1, 1}, 2);
  const double third = static_cast<double>(1.0F / 3);
  const double two_thirds = static_cast<double>(2.0F / 3);

  EXPECT_NEAR(call.oracle(DType::f64).only("loss"), 2 * (third + two_thirds), 1e-15);
  EXPECT_GT(std::abs(call.oracle(DType::f64).only("loss") - 2.0), 1e-9);
  EXPECT_NEAR(call.param("pooled_slots", true).oracle(DType::f64).only("loss"), 2.0, 1e-15);
}

TEST(RouterAuxLoss, TiesGoToTheSmallerExpert) {
  // f = 1, 0, 0 and p = 1/3 each give 3 * 1/3 for any choice, so the experts have 0.4, 0.4 and 0.2.
  const double log2 = std::log(2.0);
  EXPECT_DOUBLE_EQ(aux({{{log2, log2, 0}}}, {1, 1}, {1}).exact().only("loss"), 1.2);
}

TEST(RouterAuxLoss, NoCountedTokenIsNaN) { EXPECT_TRUE(std::isnan(aux({{kFirst}}, {1, 1}, {0}).exact().only("loss"))); }

TEST(RouterAuxLoss, BoundCoversTheOtherChoiceInANearTie) {
  // Probabilities 0.4000 and 0.3999 are equal in bf16, so an implementation may choose expert 1 for the first token.
  // Then the mean probability of expert 1, 0.2, is used instead of that of expert 0, 0.6.
  const std::vector<double> near{std::log(0.4000), std::log(0.3999), std::log(0.2001)};
  const std::vector<double> other{std::log(0.8), std::log(0.001), std::log(0.199)};
  const auto bounded = aux({{near, other}}, {1, 2}, {1, 1}).bounded(DType::bf16);
  const double swapped = 3 * (0.5 * 0.6 + 0.5 * 0.20045);

  EXPECT_DOUBLE_EQ(bounded.only("loss"), 3 * 0.6);
  EXPECT_LE(bounded.only("loss") - swapped, bounded.rounding.at("loss").f64()[0] + bounded.noise.at("loss").f64()[0]);
}

TEST(RouterAuxLoss, BoundCoversExchangesBeyondTheNextExpert) {  // was only the gap between the first two
  // The three probabilities are equal in bf16, so the oracle chooses expert 0 for the first token, which in exact
  // arithmetic has the smallest one. The mean probability of expert 0 is three times that of the others.
  const std::vector<double> near{std::log(0.3332), std::log(0.3333), std::log(0.3335)};
  const std::vector<double> other{std::log(0.9), std::log(0.05), std::log(0.05)};
  const TestCall call = aux({{near, other}}, {1, 2}, {1, 1});
  const auto bounded = call.bounded(DType::bf16);
  const double error = std::abs(call.oracle(DType::bf16).only("loss") - bounded.only("loss"));

  EXPECT_GT(error, 0.6);  // 3 (0.5 * 0.6166 + 0.5 * 0.19175) against 3 * 0.6166
  EXPECT_LE(error, bounded.rounding.at("loss").f64()[0] + bounded.noise.at("loss").f64()[0]);
}

TEST(RouterAuxLoss, ExchangesAreNoiseOnlyIfTheRoundedProbabilitiesTie) {
  // bf16 is spaced 1/512 there: 0.4000 = 204.8/512, 0.3999 = 204.7/512, 0.3990 = 204.3/512.
  const std::vector<double> other{std::log(0.8), std::log(0.001), std::log(0.199)};
  const auto with_first_token = [&](double first, double second) {
    return aux({{{std::log(first), std::log(second), std::log(1 - first - second)}, other}}, {1, 2}, {1, 1})
        .bounded(DType::bf16);
  };
  const auto tied = with_first_token(0.4000, 0.3999);   // both 205/512
  const auto apart = with_first_token(0.4000, 0.3990);  // 205/512 and 204/512, closer than their error of 2^-8 each

  EXPECT_GT(tied.noise.at("loss").f64()[0], 0.5);
  EXPECT_LT(apart.noise.at("loss").f64()[0], 0.1);
  EXPECT_GT(apart.rounding.at("loss").f64()[0], 0.5);
}

TEST(RouterAuxLoss, ColumnSumsAreNotBoundedAsChainsInTheWorkingType) {  // 40 % for 256 rows
  const std::vector<std::vector<double>> rows(256, kFirst);
  const auto result = aux({rows}, {1, 256}, std::vector<int64_t>(256, 1)).bounded(DType::bf16);

  EXPECT_LT(result.noise.at("loss").f64()[0], 0.03);
  EXPECT_GT(result.noise.at("loss").f64()[0], 0.004 * result.only("loss"));  // the error that recordings have
}

}  // namespace
}  // namespace parity::reference
