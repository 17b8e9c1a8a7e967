// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/ranks/link_search.hpp"

#include <gtest/gtest.h>

#include "compare/testing/rank_cases.hpp"

namespace parity::compare {
namespace {

using tests::FourRanks;

LinkFinding found_at(const FourRanks& ranks, int64_t rank) {
  const golden::SyntheticSource weights(1, {});
  const replay::Evaluator evaluator(reference::registry(), ranks.plan, weights);
  const replay::Overlay values(ranks.plan, nullptr, ranks.values);
  return search_link(*exchange_of(ranks.exchange(rank), values), evaluator, values);
}

/// Adds `change(i)` to what rank 3 has as the sum.
void change_sum(FourRanks& ranks, const std::function<double(int64_t)>& change) {
  for (int64_t i = 0; i < 4; ++i) {
    const double sum = ranks.values.at("ranks/03/x").view().value(i);
    ranks.set(3, "x", i, sum + change(i));
  }
}

TEST(LinkSearch, ARightSumNamesNobody) {
  const LinkFinding found = found_at(FourRanks(false), 3);
  EXPECT_EQ(found.sender, -1);
  EXPECT_EQ(found.how, "");
}

TEST(LinkSearch, ATermThatArrivedAsZerosNamesItsSender) {
  FourRanks ranks(false);
  change_sum(ranks, [&](int64_t i) { return -ranks.part(2, i); });

  const LinkFinding found = found_at(ranks, 3);

  EXPECT_EQ(found.sender, 2);
  EXPECT_EQ(found.how, "zeros");
}

TEST(LinkSearch, ATermOfAnotherRankNamesBoth) {
  FourRanks ranks(false);
  change_sum(ranks, [&](int64_t i) { return ranks.part(0, i) - ranks.part(1, i); });

  const LinkFinding found = found_at(ranks, 3);

  EXPECT_EQ(found.sender, 1);
  EXPECT_EQ(found.how, "the part of rank 0");
}

TEST(LinkSearch, ASumWithoutTheOthersIsItsOwnTerm) {
  FourRanks ranks(false);
  for (int64_t i = 0; i < 4; ++i) ranks.set(3, "x", i, ranks.part(3, i));

  const LinkFinding found = found_at(ranks, 3);

  EXPECT_EQ(found.sender, -1);
  EXPECT_EQ(found.how, "only its own term");
}

/// 3 negated is a flipped sign. Another term shifted gives the same in this place, but errors elsewhere, too.
TEST(LinkSearch, AWayWithoutErrorsThatAreNotThereIsLikelier) {
  FourRanks ranks(false);
  change_sum(ranks, [&](int64_t i) { return i == 0 ? -2.0 * ranks.part(2, i) : 0.0; });

  const LinkFinding found = found_at(ranks, 3);

  EXPECT_EQ(found.sender, 2);
  EXPECT_TRUE(found.suspects.empty());
}

/// -4 is the term 2 negated, or the term 4 lost.
TEST(LinkSearch, ASumThatTwoTermsExplainNamesNeither) {
  FourRanks ranks(false);
  change_sum(ranks, [&](int64_t i) { return i == 0 ? -4.0 : 0.0; });

  const LinkFinding found = found_at(ranks, 3);

  EXPECT_EQ(found.sender, -1);
  ASSERT_GE(found.suspects.size(), 2U);
  EXPECT_TRUE(found.beyond);
}

TEST(LinkSearch, AnotherExchangeLeavesOneSuspect) {
  LinkFinding first{-1, "", 0.0, true, {{1, "its values negated", 1.0}, {3, "zeros", 1.0}}};
  first.settle({-1, "", 0.0, true, {{0, "zeros", 1.0}, {3, "zeros", 1.0}}});

  EXPECT_EQ(first.sender, 3);
  EXPECT_EQ(first.how, "zeros");
  EXPECT_TRUE(first.suspects.empty());
}

TEST(LinkSearch, ARightExchangeOrAnotherLinkSettlesNothing) {
  LinkFinding first{-1, "", 0.0, true, {{1, "its values negated", 1.0}, {3, "zeros", 1.0}}};
  first.settle({});
  first.settle({2, "zeros", 1.0, true, {}});

  EXPECT_EQ(first.sender, -1);
  EXPECT_EQ(first.suspects.size(), 2U);
}

TEST(LinkSearch, AFlippedBitInAGatheredPartNamesItsSender) {
  FourRanks ranks(true);
  ranks.set(1, "x", 2 * 4 + 1, -ranks.part(2, 1));

  const LinkFinding found = found_at(ranks, 1);

  EXPECT_EQ(found.sender, 2);
  EXPECT_NE(found.how, "");
}

TEST(LinkSearch, AShiftedPartNamesItsSender) {
  FourRanks ranks(true);
  for (int64_t i = 0; i < 4; ++i) ranks.set(1, "x", i, ranks.part(0, (i + 3) % 4));

  const LinkFinding found = found_at(ranks, 1);

  EXPECT_EQ(found.sender, 0);
  EXPECT_EQ(found.how, "its values shifted by one element");
}

TEST(LinkSearch, UnknownValuesInOnePlaceStillNameTheSenderOfAGather) {
  FourRanks ranks(true);
  for (int64_t i = 0; i < 4; ++i) ranks.set(0, "x", 3 * 4 + i, 0.37 * static_cast<double>(i + 1));

  const LinkFinding found = found_at(ranks, 0);

  EXPECT_EQ(found.sender, 3);
  EXPECT_EQ(found.how, "");
}

}  // namespace
}  // namespace parity::compare
