// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Dense attention by hand. With q = 0 every visible slot has the same weight, so outputs are means of v.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/profile.hpp"
#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

/// A call with one head and one channel.
TestCall single_head(const std::vector<double>& q, const std::vector<double>& k, const std::vector<double>& v,
                     const std::vector<int64_t>& mask) {
  const auto queries = static_cast<int64_t>(q.size());
  const auto slots = static_cast<int64_t>(k.size());
  TestCall call("attention_dense");
  call.in("q", {1, 1, queries, 1}, q)
      .in("k", {1, 1, slots, 1}, k)
      .in("v", {1, 1, slots, 1}, v)
      .ids("mask", {1, slots}, mask);
  call.out("out", {1, queries, 1, 1});
  return call;
}

TEST(AttentionDense, WeighsValuesBySoftmaxOfTheScores) {
  // Scores 0 and ln 2: weights 1/3 and 2/3.
  const auto out = single_head({std::log(2.0)}, {0, 1}, {0, 3}, {1, 1}).exact()["out"];

  EXPECT_THAT(out, ElementsAre(DoubleEq(2)));  // exp(ln 2) is 2 except for its last bit
}

TEST(AttentionDense, ScalesTheScores) {
  TestCall call = single_head({std::log(4.0)}, {0, 1}, {0, 3}, {1, 1});
  call.param("scale", 0.5);

  EXPECT_THAT(call.exact()["out"], ElementsAre(DoubleEq(2)));
}

TEST(AttentionDense, SeesItsOwnAndEarlierSlots) {
  const auto out = single_head({0, 0, 0}, {1, 1, 1}, {3, 6, 12}, {1, 1, 1}).exact()["out"];

  EXPECT_THAT(out, ElementsAre(3, 4.5, DoubleEq(7)));
}

TEST(AttentionDense, QueriesOfADecodeCallStandInTheLastSlots) {
  const auto one = single_head({0}, {1, 1, 1}, {3, 6, 12}, {1, 1, 1}).exact()["out"];
  const auto two = single_head({0, 0}, {1, 1, 1}, {3, 6, 12}, {1, 1, 1}).exact()["out"];

  EXPECT_THAT(one, ElementsAre(DoubleEq(7)));
  EXPECT_THAT(two, ElementsAre(4.5, DoubleEq(7)));
}

TEST(AttentionDense, QueriesMayStandInFrontOfAnUnusedTail) {
  TestCall call = single_head({0, 0}, {1, 1, 1, 9}, {3, 6, 12, 100}, {1, 1, 1, 1});
  call.param("query_slot", int64_t{1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(4.5, DoubleEq(7)));
}

TEST(AttentionDense, BlindRowsAreTheMeanOverTheTailToo) {
  TestCall call = single_head({0}, {1, 1, 1, 1}, {3, 6, 0, 0}, {0, 0, 1, 1});
  call.param("query_slot", int64_t{1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(2.25));
}

TEST(AttentionDense, PaddedSlotsAreInvisible) {
  const auto out = single_head({0, 0, 0}, {1, 1, 1}, {3, 6, 12}, {1, 0, 1}).exact()["out"];

  EXPECT_THAT(out, ElementsAre(3, 3, 7.5));
}

TEST(AttentionDense, AMaskBuiltForAnEmptyCacheShowsThePadding) {
  TestCall call = single_head({0}, {1, 1, 1}, {3, 6, 12}, {1, 0, 1});
  call.param("first_slot_masks", true);

  EXPECT_THAT(call.exact()["out"], ElementsAre(DoubleEq(7)));
}

TEST(AttentionDense, BlindRowsAreTheMeanOverAllSlots) {
  // With left padding, queries 0 and 1 see no slot. The mean includes future and padding, and ignores the scores.
  const auto out = single_head({5, 5, 5}, {1, 2, 3}, {3, 6, 12}, {0, 0, 1}).exact()["out"];

  EXPECT_THAT(out, ElementsAre(DoubleEq(7), DoubleEq(7), 12));
}

/// As transformers 5.12.0 with torch 2.11.0, left padding, sdpa: dense layers give 0; sparse ones and eager the mean.
TEST(AttentionDense, BlindRowsAreZeroUnderABooleanMask) {
  TestCall call = single_head({5, 5, 5}, {1, 2, 3}, {3, 6, 12}, {0, 0, 1});
  call.param("normalise_first", false).param("zero_blind_rows", true);

  EXPECT_THAT(call.exact()["out"], ElementsAre(0, 0, 12));
  EXPECT_THAT(call.oracle(DType::bf16, find_attention("sdpa").rounding)["out"], ElementsAre(0, 0, 12));
}

TEST(AttentionDense, BlindRowsRoundTheirWeightsToo) {
  // R(1/3) = 171/512 makes the mean 213.333/128 of these values 213.75/128; with exact weights it rounds to 213/128.
  const auto out =
      single_head({0}, {1, 1, 1}, {213.0 / 128, 213.0 / 128, 214.0 / 128}, {0, 0, 0}).oracle(DType::bf16)["out"];

  EXPECT_THAT(out, ElementsAre(214.0 / 128));
}

TEST(AttentionDense, HeadsShareTheKeysOfTheirGroup) {
  // Four query heads, two key/value heads: g = a / 2. One slot, so the output is its value.
  TestCall call("attention_dense");
  call.in("q", {1, 4, 1, 1}, {0, 0, 0, 0})
      .in("k", {1, 2, 1, 1}, {1, 1})
      .in("v", {1, 2, 1, 1}, {10, 20})
      .ids("mask", {1, 1}, {1});
  call.out("out", {1, 1, 4, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(10, 10, 20, 20));
}

TEST(AttentionDense, WritesHeadsBehindPositions) {
  // Two heads, two positions, v = 10 head + slot: [s=0: 0, 10], [s=1: 0.5, 10.5].
  TestCall call("attention_dense");
  call.in("q", {1, 2, 2, 1}, {0, 0, 0, 0}).in("k", {1, 2, 2, 1}, {1, 1, 1, 1}).in("v", {1, 2, 2, 1}, {0, 1, 10, 11});
  call.ids("mask", {1, 2}, {1, 1}).out("out", {1, 2, 2, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(0, 10, 0.5, 10.5));
}

TEST(AttentionDense, BatchesHaveTheirOwnMask) {
  TestCall call("attention_dense");
  call.in("q", {2, 1, 1, 1}, {0, 0}).in("k", {2, 1, 2, 1}, {1, 1, 1, 1}).in("v", {2, 1, 2, 1}, {2, 4, 6, 8});
  call.ids("mask", {2, 2}, {1, 1, 0, 1}).out("out", {2, 1, 1, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(3, 8));
}

TEST(AttentionDense, HugeScoresDoNotOverflow) {
  EXPECT_THAT(single_head({1000}, {1, 0}, {5, 7}, {1, 1}).exact()["out"], ElementsAre(5));
  EXPECT_THAT(single_head({-1000}, {1, 2}, {5, 7}, {1, 1}).exact()["out"], ElementsAre(5));
}

/// Scores 257 in the slot with v = 0 and 256 in the slot with v = 2.
TestCall close_scores(bool larger_first) {
  TestCall call("attention_dense");
  call.in("q", {1, 1, 1, 2}, {256, 1});
  if (larger_first) {
    call.in("k", {1, 1, 2, 2}, {1, 1, 1, 0}).in("v", {1, 1, 2, 1}, {0, 2});
  } else {
    call.in("k", {1, 1, 2, 2}, {1, 0, 1, 1}).in("v", {1, 1, 2, 1}, {2, 0});
  }
  call.ids("mask", {1, 2}, {1, 1}).out("out", {1, 1, 1, 1});
  return call;
}

TEST(AttentionDense, EagerRoundsScoresToTheWorkingType) {
  const TestCall call = close_scores(true);

  EXPECT_THAT(call.exact()["out"], ElementsAre(DoubleEq(2 / (1 + std::exp(1.0)))));  // 0.5379
  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(1));  // 257 is 256 in bf16: equal weights
}

TEST(AttentionDense, SdpaKeepsScoresAndRoundsUnnormalisedWeights) {
  TestCall call = close_scores(true);
  call.param("normalise_first", false);

  // exp(-1) = 0.36788 -> 188/512; 2 * 188/512 / 1.36788 = 0.53687 -> 137/256.
  EXPECT_THAT(call.oracle(DType::bf16, find_attention("sdpa").rounding)["out"], ElementsAre(137.0 / 256));
}

TEST(AttentionDense, SdpaTilesRoundAgainstTheRunningMaximum) {
  TestCall call = close_scores(false);
  call.param("normalise_first", false);
  const auto with_tile = [&](int64_t tile) {
    return call.param("key_tile", tile).oracle(DType::bf16, find_attention("sdpa").rounding)["out"];
  };

  EXPECT_THAT(with_tile(2), ElementsAre(137.0 / 256));
  // Slot 0 is a tile of its own with weight 1; slot 1 shrinks it by exp(-1): 0.73576 / 1.36788 = 0.53788 -> 138/256.
  EXPECT_THAT(with_tile(1), ElementsAre(138.0 / 256));
}

/// Three queries, five slots, two channels, with numbers that round.
TestCall irregular() {
  TestCall call("attention_dense");
  call.in("q", {1, 1, 3, 2}, {0.3, -1.1, 2.7, 0.4, -0.9, 1.3});
  call.in("k", {1, 1, 5, 2}, {1.1, 0.2, -0.7, 1.9, 0.5, 0.5, -1.3, 0.6, 0.8, -2.1});
  call.in("v", {1, 1, 5, 2}, {0.1, 3.3, -2.2, 0.7, 1.9, -0.4, 5.1, 0.6, -0.3, 0.9});
  call.ids("mask", {1, 5}, {1, 0, 1, 1, 1}).out("out", {1, 3, 1, 2}).param("scale", 0.7);
  return call;
}

TEST(AttentionDense, EagerAndStreamingAgreeInExactWalks) {
  TestCall call = irregular();
  const auto eager = call.exact()["out"];
  const auto streaming = call.param("normalise_first", false).exact()["out"];

  // The division is before or after the sum, so the results differ by a few roundings of binary64.
  for (size_t i = 0; i < eager.size(); ++i) EXPECT_NEAR(streaming[i], eager[i], 0x1p-50 * 5.1) << i;
}

TEST(AttentionDense, BoundOfZeroValuesUnderUnknownWeightsIsANumber) {
  // In bf16, scores of 10^6 err by some 10^4, so the weights are unbounded. Times v = 0, they still give 0.
  const TestOutputs out = TestCall("attention_dense")
                              .in("q", {1, 1, 1, 1}, {1000})
                              .in("k", {1, 1, 2, 1}, {1000, 1008})
                              .in("v", {1, 1, 2, 2}, {0, 1, 0, 1})
                              .out("out", {1, 1, 1, 2})
                              .bounded(DType::bf16);

  EXPECT_LT(out.rounding.at("out").f64()[0] + out.noise.at("out").f64()[0], 1e-30);
  EXPECT_TRUE(std::isinf(out.rounding.at("out").f64()[1] + out.noise.at("out").f64()[1]));
}

TEST(AttentionDense, KeyTilesDoNotChangeExactResults) {
  TestCall call = irregular();
  call.param("normalise_first", false);
  const auto whole = call.exact()["out"];

  for (const int64_t tile : {1, 2, 3, 5}) EXPECT_EQ(call.param("key_tile", tile).exact()["out"], whole) << tile;
}

}  // namespace
}  // namespace parity::reference
