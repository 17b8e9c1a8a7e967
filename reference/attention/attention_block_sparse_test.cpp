// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Block-sparse attention by hand. With q = 0 every visible slot has the same weight, so outputs are means of v.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/profile.hpp"
#include "core/random.hpp"
#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

/// One head and five slots in blocks of two; the last block has one slot. v = 1, 2, 4, 8, 16; the query is in slot 4.
TestCall last_of_five(const std::vector<int64_t>& blocks) {
  TestCall call("attention_block_sparse");
  call.in("q", {1, 1, 1, 1}, {0}).in("k", {1, 1, 5, 1}, {1, 1, 1, 1, 1}).in("v", {1, 1, 5, 1}, {1, 2, 4, 8, 16});
  call.ids("mask", {1, 5}, {1, 1, 1, 1, 1}).ids("blocks", {1, 1, static_cast<int64_t>(blocks.size())}, blocks);
  call.param("block_size", int64_t{2}).out("out", {1, 1, 1, 1});
  return call;
}

TEST(AttentionBlockSparse, SeesTheSlotsOfItsBlocksOnly) {
  EXPECT_THAT(last_of_five({0}).exact()["out"], ElementsAre(1.5));
  EXPECT_THAT(last_of_five({1}).exact()["out"], ElementsAre(6));
  EXPECT_THAT(last_of_five({1, 0}).exact()["out"], ElementsAre(3.75));
}

TEST(AttentionBlockSparse, TheLastBlockMayBePartial) {
  EXPECT_THAT(last_of_five({2}).exact()["out"], ElementsAre(16));
  EXPECT_THAT(last_of_five({2, 1}).exact()["out"], ElementsAre(DoubleEq(28.0 / 3)));
}

TEST(AttentionBlockSparse, IdsOutsideTheBlocksSelectNothing) {
  EXPECT_THAT(last_of_five({0, -1, 3, 1000000}).exact()["out"], ElementsAre(1.5));
  EXPECT_THAT(last_of_five({-1, 0, -2}).exact()["out"], ElementsAre(1.5));
}

TEST(AttentionBlockSparse, RepeatedIdsCountOnce) {
  EXPECT_THAT(last_of_five({0, 1, 0, 0}).exact()["out"], ElementsAre(3.75));
}

TEST(AttentionBlockSparse, EmptyListsAreTheMeanOverAllSlots) {
  EXPECT_THAT(last_of_five({-1}).exact()["out"], ElementsAre(DoubleEq(6.2)));  // 31 / 5
}

TEST(AttentionBlockSparse, SelectedBlocksOfTheFutureStayInvisible) {
  // Two queries in slots 0 and 1 of blocks of one. Query 0 has only block 1, so it sees no slot: the mean of both.
  TestCall call("attention_block_sparse");
  call.in("q", {1, 1, 2, 1}, {0, 0})
      .in("k", {1, 1, 2, 1}, {1, 1})
      .in("v", {1, 1, 2, 1}, {2, 4})
      .ids("mask", {1, 2}, {1, 1});
  call.ids("blocks", {1, 2, 1}, {1, 1}).param("block_size", int64_t{1}).out("out", {1, 2, 1, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(3, 4));
}

TEST(AttentionBlockSparse, SelectedPaddingStaysInvisible) {
  TestCall call = last_of_five({0, 1});
  call.forget("mask").ids("mask", {1, 5}, {0, 1, 1, 0, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(3));  // slots 1 and 2
}

TEST(AttentionBlockSparse, QueriesMayStandInAnySlot) {
  // A query in slot 2 sees slots 0 to 2 of its blocks.
  EXPECT_THAT(last_of_five({0, 1, 2}).ids("positions", {1, 1}, {2}).exact()["out"], ElementsAre(DoubleEq(7.0 / 3)));
}

TEST(AttentionBlockSparse, PairsHideSlots) {
  EXPECT_THAT(last_of_five({0, 1, 2}).ids("pairs", {1, 1, 5}, {0, 1, 0, 1, 0}).exact()["out"], ElementsAre(5));
}

TEST(AttentionBlockSparse, OwnSlotsMayAlwaysBeVisible) {
  TestCall call = last_of_five({0});  // slot 4 is in none of its blocks
  call.ids("pairs", {1, 1, 5}, {0, 0, 1, 1, 0}).param("self_visible", true);

  EXPECT_THAT(call.exact()["out"], ElementsAre(16));
}

/// A row of weights 1, p and n times q; the values show p alone. A kernel that adds its weights as it rounds them errs by
/// three roundings: p becomes larger by almost u, q smaller by almost u, and the quotient is rounded.
TEST(AttentionBlockSparse, BoundHoldsForAKernelThatAddsRoundedWeights) {
  constexpr double kUnit = 0x1p-8;
  const double p = (1 + 1.02 * kUnit) / 2, q = (1 + 0.98 * kUnit) / 2;
  const auto bf16 = [](double x) { return round_to(DType::bf16, x); };
  const RoundingTable flash = find_attention("sdpa").rounding;
  double largest = 0.0;
  for (int64_t n = 8; n < 120; ++n) {
    std::vector<double> keys(static_cast<size_t>(n + 2), std::log(q)), values(static_cast<size_t>(n + 2), 0.0);
    keys[0] = 0.0;
    keys[1] = std::log(p);
    values[1] = 1.0;
    TestCall call("attention_block_sparse");
    call.in("q", {1, 1, 1, 1}, {1}).in("k", {1, 1, n + 2, 1}, keys).in("v", {1, 1, n + 2, 1}, values);
    call.ids("blocks", {1, 1, 1}, {0}).param("normalise_first", false).out("out", {1, 1, 1, 1});
    const auto bounded = call.bounded(DType::bf16, flash);
    const double exact = bounded["out"].front(), rows = static_cast<double>(n);
    const double error = std::abs(bf16(bf16(p) / (1 + bf16(p) + rows * bf16(q))) - exact);

    EXPECT_NEAR(exact, p / (1 + p + rows * q), 1e-12);
    EXPECT_LE(error, bounded.rounding.at("out").f64()[0]) << n;
    largest = std::max(largest, error / (kUnit * exact));
  }
  EXPECT_GT(largest, 2.5);  // more than a rounding of the weight and one of the result
}

TEST(AttentionBlockSparse, EveryQueryHasItsList) {
  // Three queries in slots 2, 3, 4: lists {1}, {0}, {2}.
  TestCall call = last_of_five({0});
  call.forget("q")
      .forget("blocks")
      .in("q", {1, 1, 3, 1}, {0, 0, 0})
      .ids("blocks", {1, 3, 1}, {1, 0, 2})
      .out("out", {1, 3, 1, 1});

  EXPECT_THAT(call.exact()["out"], ElementsAre(4, 1.5, 16));
}

/// Four query heads, two key/value heads; one query, two slots in blocks of one. v of group 1 is ten times that of 0.
TestCall four_heads(const Shape& shape, const std::vector<int64_t>& blocks, int64_t batch = 1) {
  TestCall call("attention_block_sparse");
  const auto repeat = [&](const std::vector<double>& values) {
    std::vector<double> result;
    for (int64_t b = 0; b < batch; ++b) result.insert(result.end(), values.begin(), values.end());
    return result;
  };
  call.in("q", {batch, 4, 1, 1}, repeat({0, 0, 0, 0})).in("k", {batch, 2, 2, 1}, repeat({1, 1, 1, 1}));
  call.in("v", {batch, 2, 2, 1}, repeat({1, 3, 10, 30}))
      .ids("mask", {batch, 2}, std::vector<int64_t>(static_cast<size_t>(2 * batch), 1));
  call.ids("blocks", shape, blocks).param("block_size", int64_t{1}).out("out", {batch, 1, 4, 1});
  return call;
}

TEST(AttentionBlockSparse, ListsOfIndexHeadsServeTheirGroupOfHeads) {
  EXPECT_THAT(four_heads({1, 2, 1, 1}, {0, 1}).exact()["out"], ElementsAre(1, 1, 30, 30));        // x = a / 2
  EXPECT_THAT(four_heads({1, 4, 1, 1}, {0, 1, 1, 0}).exact()["out"], ElementsAre(1, 3, 30, 10));  // x = a
  EXPECT_THAT(four_heads({1, 1, 1, 1}, {1}).exact()["out"], ElementsAre(3, 3, 30, 30));           // one index head
  EXPECT_THAT(four_heads({1, 1, 1}, {1}).exact()["out"], ElementsAre(3, 3, 30, 30));              // shared list
}

TEST(AttentionBlockSparse, BatchesHaveTheirOwnLists) {
  EXPECT_THAT(four_heads({2, 1, 1}, {0, 1}, 2).exact()["out"], ElementsAre(1, 1, 10, 10, 3, 3, 30, 30));
  EXPECT_THAT(four_heads({2, 2, 1, 1}, {0, 1, 1, 0}, 2).exact()["out"], ElementsAre(1, 1, 30, 30, 3, 3, 10, 10));
}

TEST(AttentionBlockSparse, RoundsAsDenseAttention) {
  // Scores 257 and 256 are both 256 in bf16.
  TestCall call("attention_block_sparse");
  call.in("q", {1, 1, 1, 2}, {256, 1}).in("k", {1, 1, 3, 2}, {9, 9, 1, 1, 1, 0}).in("v", {1, 1, 3, 1}, {100, 0, 2});
  call.ids("mask", {1, 3}, {1, 1, 1})
      .ids("blocks", {1, 1, 2}, {2, 1})
      .param("block_size", int64_t{1})
      .out("out", {1, 1, 1, 1});

  EXPECT_THAT(call.oracle(DType::bf16)["out"], ElementsAre(1));
}

TEST(AttentionBlockSparse, SaturatingListIsDenseBitForBit) {
  const Random random(1, "saturating");
  const auto draw = [&](uint64_t first, size_t count) {
    std::vector<double> values;
    for (uint64_t i = 0; i < count; ++i) values.push_back(round_to(DType::bf16, random.normal(first + i)));
    return values;
  };
  TestCall dense("attention_dense");
  TestCall sparse("attention_block_sparse");
  for (TestCall* call : {&dense, &sparse}) {
    call->in("q", {1, 2, 3, 4}, draw(0, 24)).in("k", {1, 1, 5, 4}, draw(100, 20)).in("v", {1, 1, 5, 4}, draw(200, 20));
    call->ids("mask", {1, 5}, {1, 1, 0, 1, 1}).param("scale", 0.5).out("out", {1, 3, 2, 4});
  }
  sparse.param("block_size", int64_t{2}).ids("blocks", {1, 3, 4}, {2, 0, 1, -1, 0, 1, 2, -1, 1, 0, 2, 2});

  for (const bool eager : {true, false}) {
    dense.param("normalise_first", eager);
    sparse.param("normalise_first", eager);
    EXPECT_EQ(sparse.exact()["out"], dense.exact()["out"]);
    EXPECT_EQ(sparse.oracle()["out"], dense.oracle()["out"]);
    const auto bounds = [](const TestOutputs& out) {
      return std::vector<double>(out.noise.at("out").f64(), out.noise.at("out").f64() + 24);
    };
    EXPECT_EQ(bounds(sparse.bounded()), bounds(dense.bounded()));
  }
}

}  // namespace
}  // namespace parity::reference
