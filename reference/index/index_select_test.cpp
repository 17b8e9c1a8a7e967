// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Index selection by hand.
#include <algorithm>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kMasked = -std::numeric_limits<double>::infinity();

struct Case {
  std::vector<double> scores;  // one per block of four slots
  int64_t position;
  int64_t top_k;
  int64_t local_blocks;
};

TestCall query(const Case& c) {
  const auto blocks = static_cast<int64_t>(c.scores.size());
  TestCall call("index_select");
  call.in("block_scores", {1, 1, blocks}, c.scores)
      .ids("positions", {1, 1}, {c.position})
      .param("block_size", int64_t{4});
  call.param("top_k", c.top_k).param("local_blocks", c.local_blocks).out("blocks", {1, 1, std::min(c.top_k, blocks)});
  return call;
}

std::vector<int64_t> select(const Case& c) { return query(c).exact().ids("blocks"); }

TEST(IndexSelect, OrdersTheWinnersByScore) { EXPECT_THAT(select({{1, 4, 2, 3}, 15, 3, 0}), ElementsAre(1, 3, 2)); }

TEST(IndexSelect, ForcesTheOwnBlockToTheFront) { EXPECT_THAT(select({{1, 4, 2, -9}, 15, 3, 1}), ElementsAre(3, 1, 2)); }

TEST(IndexSelect, ForcedBlocksEatTheBudget) {
  EXPECT_THAT(select({{1, 4, 2, -9}, 15, 2, 1}), ElementsAre(3, 1));
  EXPECT_THAT(select({{9, -1, -2, -3}, 15, 3, 3}), ElementsAre(1, 2, 3));  // ties at +inf: ascending
}

TEST(IndexSelect, BudgetOfOneLeavesOnlyTheOwnBlock) { EXPECT_THAT(select({{9, 8, 7, -5}, 13, 1, 1}), ElementsAre(3)); }

TEST(IndexSelect, TheFirstTokenOfABlockForcesItsNewBlock) {
  EXPECT_THAT(select({{9, 8, 0.5}, 8, 1, 1}), ElementsAre(2));
  EXPECT_THAT(select({{9, 8, kMasked}, 7, 1, 1}), ElementsAre(1));  // the token before the first one of the block
}

TEST(IndexSelect, LocalBlocksBeyondTheFirstForceTheFirst) {
  EXPECT_THAT(select({{-3, -2, 5, 6}, 5, 3, 3}), ElementsAre(0, 1, 3));  // own block 1: l = 1 and 2 both mean block 0
}

TEST(IndexSelect, NothingIsForcedWithoutLocalBlocks) { EXPECT_THAT(select({{5, -1, -2}, 11, 1, 0}), ElementsAre(0)); }

TEST(IndexSelect, TiesGoToTheSmallerBlock) { EXPECT_THAT(select({{2, 7, 7, 2, 7}, 3, 4, 0}), ElementsAre(1, 2, 4, 0)); }

TEST(IndexSelect, InvisibleBlocksBecomeTheTail) {
  EXPECT_THAT(select({{3, 4, kMasked, kMasked}, 7, 4, 0}), ElementsAre(1, 0, -1, -1));
  EXPECT_THAT(select({{kMasked, kMasked}, 0, 2, 0}), ElementsAre(-1, -1));
}

TEST(IndexSelect, AForcedBlockIsKeptWithoutAnyScore) {
  EXPECT_THAT(select({{kMasked, kMasked}, 4, 2, 1}), ElementsAre(1, -1));
}

TEST(IndexSelect, BudgetBeyondTheBlocksSelectsAll) { EXPECT_THAT(select({{3, 4}, 7, 16, 1}), ElementsAre(1, 0)); }

TEST(IndexSelect, EveryIndexHeadHasItsListAndSharesThePosition) {
  TestCall call("index_select");
  call.in("block_scores", {2, 2, 1, 2}, {1, 2, 2, 1, 1, 2, 2, 1})
      .ids("positions", {2, 1}, {7, 0})
      .param("block_size", int64_t{4});
  call.param("top_k", int64_t{1}).param("local_blocks", int64_t{0}).out("blocks", {2, 2, 1, 1});
  EXPECT_THAT(call.exact().ids("blocks"), ElementsAre(1, 0, 1, 0));

  call.param("local_blocks", int64_t{1});
  EXPECT_THAT(call.exact().ids("blocks"), ElementsAre(1, 1, 0, 0));  // position 7 of batch 0, position 0 of batch 1
}

TEST(IndexSelect, QueriesHaveTheirOwnPositions) {
  TestCall call("index_select");
  call.in("block_scores", {1, 2, 2}, {1, 2, 2, 1}).ids("positions", {1, 2}, {3, 4}).param("block_size", int64_t{4});
  call.param("top_k", int64_t{1}).out("blocks", {1, 2, 1});

  EXPECT_THAT(call.exact().ids("blocks"), ElementsAre(0, 1));
}

TEST(IndexSelect, PositionsBeyondTheBlocksAreAnError) {
  ErrorCode code{};

  EXPECT_THAT(error_of(code,
                       [] {
                         return select({{1, 2}, 8, 1, 1});
                       }),
              HasSubstr("position 8 lies beyond the 2 key blocks"));
  EXPECT_EQ(code, ErrorCode::schema);
}

TEST(IndexSelect, ChoosesAlikeInEveryWalk) {
  const TestCall call = query({{1 + 0x1p-40, 1, 2}, 11, 2, 0});  // no rounding may make this a tie

  EXPECT_THAT(call.oracle(DType::bf16).ids("blocks"), ElementsAre(2, 0));
  EXPECT_THAT(call.bounded(DType::bf16).ids("blocks"), ElementsAre(2, 0));
}

TEST(IndexSelect, FirstBlocksAreForcedUpToTheQuerysOwn) {
  TestCall call("index_select");
  call.in("block_scores", {1, 2, 4}, {1, 2, 3, 4, 1, 2, 3, 4}).ids("positions", {1, 2}, {7, 2});
  call.param("block_size", int64_t{2}).param("top_k", int64_t{3}).param("local_blocks", int64_t{0});
  call.param("init_blocks", int64_t{3}).out("blocks", {1, 2, 3}).out("forced_scores", {1, 2, 4});
  const double inf = std::numeric_limits<double>::infinity();

  const auto out = call.exact();

  EXPECT_EQ(out["forced_scores"], (std::vector<double>{inf, inf, inf, 4, inf, inf, 3, 4}));
  EXPECT_EQ(out.ids("blocks"), (std::vector<int64_t>{0, 1, 2, 0, 1, 3}));
}

}  // namespace
}  // namespace parity::reference
