// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Index block scores by hand.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;

constexpr double kNothing = -std::numeric_limits<double>::infinity();

/// Two index heads with q = 1 and -1, keys 3, 5, -4 in blocks of two: scores are 3, 5, -4 and -3, -5, 4.
TestCall two_heads(int64_t position, bool per_group) {
  TestCall call("index_block_scores");
  call.in("q", {1, 2, 1, 1}, {1, -1}).in("k", {1, 1, 3, 1}, {3, 5, -4}).ids("positions", {1, 1}, {position});
  call.param("block_size", int64_t{2}).param("per_group", per_group);
  call.out("block_scores", per_group ? Shape{1, 2, 1, 2} : Shape{1, 1, 2});
  return call;
}

TEST(IndexBlockScores, KeepsTheMaximumOfEveryBlockPerIndexHead) {
  EXPECT_THAT(two_heads(2, true).exact()["block_scores"], ElementsAre(5, -4, -3, 4));
}

TEST(IndexBlockScores, TakesTheMaximumOverIndexHeadsWhenShared) {
  EXPECT_THAT(two_heads(2, false).exact()["block_scores"], ElementsAre(5, 4));
}

TEST(IndexBlockScores, FutureSlotsDoNotCount) {
  EXPECT_THAT(two_heads(0, true).exact()["block_scores"], ElementsAre(3, kNothing, -3, kNothing));
  EXPECT_THAT(two_heads(1, false).exact()["block_scores"], ElementsAre(5, kNothing));
}

TEST(IndexBlockScores, CausalityIsByPositionNotBySlot) {
  // With left padding the query in slot 2 has position 0 and does not see slots 1 and 2.
  EXPECT_THAT(two_heads(0, false).exact()["block_scores"], ElementsAre(3, kNothing));
  EXPECT_THAT(two_heads(-1, false).exact()["block_scores"], ElementsAre(kNothing, kNothing));
}

TEST(IndexBlockScores, ScoresAreUnscaledDotProductsOfAllSlots) {
  TestCall call("index_block_scores");
  call.in("q", {1, 1, 2, 2}, {1, 2, 3, 4}).in("k", {1, 1, 3, 2}, {1, 0, 0, 1, 1, 1}).ids("positions", {1, 2}, {0, 1});
  call.param("block_size", int64_t{4}).out("scores", {1, 1, 2, 3}).out("block_scores", {1, 2, 1});

  const auto out = call.exact();

  EXPECT_THAT(out["scores"], ElementsAre(1, 2, 3, 3, 4, 7));  // includes slots of the future
  EXPECT_THAT(out["block_scores"], ElementsAre(1, 4));
}

TEST(IndexBlockScores, BlockScoresAreTheSameWithoutTheScores) {
  TestCall call = two_heads(1, true);
  const auto alone = call.exact()["block_scores"];

  EXPECT_EQ(call.out("scores", {1, 2, 1, 3}).exact()["block_scores"], alone);
}

TEST(IndexBlockScores, QueriesAndBatchesHaveTheirOwnPositions) {
  TestCall call("index_block_scores");
  call.in("q", {2, 1, 2, 1}, {1, 1, 1, 1}).in("k", {2, 1, 2, 1}, {3, 5, 7, 9}).ids("positions", {2, 2}, {0, 1, 1, 0});
  call.param("block_size", int64_t{1}).out("block_scores", {2, 2, 2});

  EXPECT_THAT(call.exact()["block_scores"], ElementsAre(3, kNothing, 3, 5, 7, 9, 7, kNothing));
}

TEST(IndexBlockScores, RoundsToBinary32AndNotToTheWorkingType) {
  // 2^24 + 1 is a tie of binary32; 257 is a tie of bf16.
  TestCall call("index_block_scores");
  call.in("q", {1, 1, 1, 2}, {1, 1}).in("k", {1, 1, 2, 2}, {0x1p24, 1, 256, 1}).ids("positions", {1, 1}, {1});
  call.param("block_size", int64_t{1}).out("block_scores", {1, 1, 2});

  EXPECT_THAT(call.exact()["block_scores"], ElementsAre(0x1p24 + 1, 257));
  EXPECT_THAT(call.oracle(DType::bf16)["block_scores"], ElementsAre(0x1p24, 257));
}

TEST(IndexBlockScores, NaNScoresWinTheirBlock) {  // as torch.amax; NaN was dropped, and the block could vanish
  TestCall call = two_heads(2, false);
  call.forget("k").in("k", {1, 1, 3, 1}, {3, std::nan(""), -4});

  for (const auto& out : {call.exact(), call.bounded()}) {
    EXPECT_TRUE(std::isnan(out["block_scores"][0]));
    EXPECT_EQ(out["block_scores"][1], 4);
  }
}

TEST(IndexBlockScores, BoundIsTheLargestAmongTheTerms) {
  // Blocks of two slots: |3| and |5| in the first, |4| in the second. A sum of one term has the error u |score|.
  const auto out = two_heads(2, false).bounded(DType::bf16);

  EXPECT_EQ(out.noise.at("block_scores").f64()[0], 0x1p-24 * 5);
  EXPECT_EQ(out.noise.at("block_scores").f64()[1], 0x1p-24 * 4);
  EXPECT_EQ(out.rounding.at("block_scores").f64()[0], 0.0);
}

TEST(IndexBlockScores, ScalesEveryScore) {
  TestCall call("index_block_scores");
  call.in("q", {1, 1, 1, 2}, {2, 3}).in("k", {1, 1, 1, 2}, {5, 7}).ids("positions", {1, 1}, {0});
  call.param("per_group", true).param("scale", 0.5).out("scores", {1, 1, 1, 1}).out("block_scores", {1, 1, 1, 1});

  EXPECT_EQ(call.exact().only("scores"), 15.5);
  EXPECT_EQ(call.exact().only("block_scores"), 15.5);
}

}  // namespace
}  // namespace parity::reference
