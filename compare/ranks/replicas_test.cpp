// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/ranks/replicas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parity::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Each of `ranks` ranks computes "b" from its "a", both repeated.
Plan repeated(int64_t ranks) {
  Plan plan;
  for (const char* name : {"a", "b"}) {
    for (int64_t rank = 0; rank < ranks; ++rank) {
      Node node;
      node.rank = static_cast<int>(rank);
      if (*name == 'b') node.inputs["x"] = {{Operand::Kind::tap, rank_prefix(rank) + "a", ""}};
      node.outputs["out"] = {Operand::Kind::tap, rank_prefix(rank) + name, ""};
      TapInfo info{"S", {2}, TapType::working, static_cast<int>(plan.nodes.size())};
      info.part = Part{name, "S", {2}, {{2}, {{{0, 2}}}}};
      plan.taps[rank_prefix(rank) + name] = info;
      plan.nodes.push_back(node);
    }
  }
  return plan;
}

Digests digests_of(const Plan& plan, uint64_t value) {
  Digests digests;
  for (const auto& [tap, info] : plan.taps) digests[tap] = value;
  return digests;
}

TEST(Replicas, EqualBitsAreNoDisagreement) {
  const Plan plan = repeated(4);
  EXPECT_THAT(disagreements(plan, {4, 1, 1, 1, ""}, digests_of(plan, 7)), IsEmpty());
}

TEST(Replicas, TheOddRankIsNamedByMajority) {
  const Plan plan = repeated(4);
  Digests digests = digests_of(plan, 7);
  digests["ranks/02/b"] = 8;

  const auto found = disagreements(plan, {4, 1, 1, 1, ""}, digests);

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().tap, "b");
  EXPECT_THAT(found.front().odd, ElementsAre(2));
  EXPECT_THAT(found.front().agreeing, ElementsAre(0, 1, 3));
}

TEST(Replicas, WhatFollowsFromADisagreementIsNone) {
  const Plan plan = repeated(4);
  Digests digests = digests_of(plan, 7);
  digests["ranks/02/a"] = digests["ranks/02/b"] = 8;

  const auto found = disagreements(plan, {4, 1, 1, 1, ""}, digests);

  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().tap, "a");
}

TEST(Replicas, GroupsOfOtherTokensRepeatWhatIsWhole) {
  const Plan plan = repeated(4);
  Digests digests = digests_of(plan, 7);
  digests["ranks/03/b"] = 8;
  const Layout tokens{1, 1, 4, 1, ""}, sequences{1, 1, 1, 4, ""};

  ASSERT_EQ(disagreements(plan, tokens, digests).size(), 1U);
  EXPECT_THAT(disagreements(plan, tokens, digests).front().odd, ElementsAre(3));
  EXPECT_THAT(disagreements(plan, sequences, digests), IsEmpty());
}

TEST(Replicas, TwoRanksHaveNoMajority) {
  const Plan plan = repeated(2);
  Digests digests = digests_of(plan, 7);
  digests["ranks/01/b"] = 8;

  const auto found = disagreements(plan, {2, 1, 1, 1, ""}, digests);

  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found.front().odd, ElementsAre(0, 1));
  EXPECT_THAT(found.front().agreeing, IsEmpty());
}

TEST(Replicas, GroupsOfOtherSequencesNeedNotAgree) {
  const Plan plan = repeated(4);
  Digests digests = digests_of(plan, 7);
  digests["ranks/02/b"] = digests["ranks/03/b"] = 8;
  EXPECT_THAT(disagreements(plan, {2, 1, 1, 2, ""}, digests), IsEmpty());
}

TEST(Replicas, DividedTapsAreNotCompared) {
  Plan plan = repeated(2);
  plan.taps.at("ranks/01/b").part->box = {{2}, {{{1, 1}}}};
  Digests digests = digests_of(plan, 7);
  digests["ranks/01/b"] = 8;
  EXPECT_THAT(disagreements(plan, {2, 1, 1, 1, ""}, digests), IsEmpty());
}

}  // namespace
}  // namespace parity::compare
