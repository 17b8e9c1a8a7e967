// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/discrete.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/testing/numbers.hpp"

namespace parity::compare {
namespace {

using parity::tests::kNaN;

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum Choice::Verdict;

constexpr double kForced = std::numeric_limits<double>::infinity();    // score of a local block
constexpr double kNothing = -std::numeric_limits<double>::infinity();  // score of a block without visible slots

Choice choice(const std::vector<double>& scores, double delta, int64_t k) {
  Choice result{scores, std::vector<double>(scores.size(), delta), k};
  for (size_t i = 0; i < scores.size(); ++i) {
    if (std::isinf(scores[i])) result.delta[i] = 0.0;
  }
  return result;
}

TEST(Choice, WithClearMarginsLeavesNothingOpen) {
  EXPECT_THAT(choice({5, 2, 4, 3}, 0.4, 2).verdicts(), ElementsAre(must, must_not, must, must_not));
}

TEST(Choice, IsOpenWithinTwiceTheScoreError) {
  EXPECT_THAT(choice({5, 3.9, 3, 1}, 0.5, 2).verdicts(), ElementsAre(must, may, may, must_not));
  EXPECT_THAT(choice({5, 4.1, 3, 1}, 0.5, 2).verdicts(), ElementsAre(must, must, must_not, must_not));
}

TEST(Choice, OfTiedScoresIsOpen) {
  EXPECT_THAT(choice({3, 2, 2, 1}, 0.0, 2).verdicts(), ElementsAre(must, may, may, must_not));
}

TEST(Choice, OfAllIsNoChoice) {
  EXPECT_THAT(choice({3, 2, 2}, 5.0, 3).verdicts(), Each(must));
  EXPECT_EQ(choice({3, 2, 2}, 5.0, 3).flip_chance(), 0.0);
}

TEST(Choice, TakesForcedBlocksAndLeavesInvisibleOnes) {
  EXPECT_THAT(choice({1, 2, kForced, kNothing}, 0.1, 2).verdicts(), ElementsAre(must_not, must, must, must_not));
}

TEST(Choice, AmongFewerVisibleThanWantedIsNotOpen) {
  EXPECT_THAT(choice({1, 2, kForced, kNothing, kNothing, kNothing}, 9.0, 5).verdicts(),
              ElementsAre(must, must, must, must_not, must_not, must_not));
  EXPECT_EQ(choice({1, 2, kForced, kNothing, kNothing, kNothing}, 9.0, 5).flip_chance(), 0.0);
}

TEST(BlockList, InAnyOrderIsTheSameSet) {
  const Choice scores = choice({5, 4, 3, 2, kNothing}, 0.1, 3);

  for (const std::vector<int64_t>& ids : {std::vector<int64_t>{0, 1, 2}, {2, 1, 0}, {1, 2, 0}})
    EXPECT_FALSE(judge_list_of_any_order(scores, ids).violated);
  EXPECT_TRUE(judge_list(scores, {2, 1, 0}).violated);
  EXPECT_TRUE(judge_list_of_any_order(scores, {3, 1, 0}).violated) << "another id";
  EXPECT_TRUE(judge_list_of_any_order(scores, {1, 1, 0}).violated) << "one twice";
  EXPECT_TRUE(judge_list_of_any_order(scores, {1, 0, -1}).violated) << "one too few";
  EXPECT_TRUE(judge_list_of_any_order(scores, {-1, 1, 0}).violated) << "an id after -1";
}

TEST(BlockList, InAnyOrderKeepsWhatMayBeChosen) {
  const Choice open = choice({5, 3.9, 3.8, 1}, 0.5, 2);

  EXPECT_FALSE(judge_list_of_any_order(open, {2, 0}).violated);
  EXPECT_TRUE(judge_list_of_any_order(open, {2, 0}).flipped);
  EXPECT_TRUE(judge_list_of_any_order(open, {3, 0}).violated);
}

TEST(Choice, TakesNaNForTheLargestScore) {
  EXPECT_THAT(choice({5, kNaN, 2, 4}, 0.1, 2).verdicts(), ElementsAre(must, must, must_not, must_not));
  EXPECT_THAT(choice({kNaN, 1, kNaN, kNaN}, 0.1, 2).verdicts(), ElementsAre(may, must_not, may, may));
  EXPECT_THAT(choice({kForced, kNaN, 2}, 0.1, 1).verdicts(), ElementsAre(must_not, must, must_not));
  EXPECT_EQ(choice({5, kNaN, 2, 4}, 0.1, 1).flip_chance(), 0.0);
  EXPECT_EQ(choice({5, kNaN, kNaN, 4}, 0.0, 1).flip_chance(), 0.5);
}

/// std::sort leaves the array if the comparison is no strict order. The published model's 128 experts, some NaN.
TEST(Choice, Of128ExpertsWithNaNIsTorchs) {
  for (const size_t step : {2U, 3U, 5U, 17U, 127U}) {
    Choice experts{{}, std::vector<double>(128, 0.0), 4};
    for (size_t e = 0; e < 128; ++e) experts.score.push_back(e % step == 1 ? kNaN : static_cast<double>(e * 37 % 128));
    std::vector<int64_t> torchs;  // NaN first, smaller ids first, then the largest numbers
    for (size_t e = 1; e < 128 && torchs.size() < 4; e += step) torchs.push_back(static_cast<int64_t>(e));
    for (double next = 127; torchs.size() < 4; --next) {
      const auto at = std::find(experts.score.begin(), experts.score.end(), next);
      if (at != experts.score.end()) torchs.push_back(at - experts.score.begin());
    }
    const RowVerdict verdict = judge_set(experts, torchs);

    EXPECT_FALSE(verdict.violated) << step << ": " << verdict.reason;
    EXPECT_FALSE(verdict.flipped) << step;
    EXPECT_TRUE(judge_set(experts, {0, torchs[1], torchs[2], torchs[3]}).violated) << step;
  }
}

TEST(Lists, StandInTheOrderThatPutsNaNFirst) {
  EXPECT_FALSE(judge_list(choice({5, kNaN, 2, 4}, 0.1, 3), {1, 0, 3}).violated);
  EXPECT_TRUE(judge_list(choice({5, kNaN, 2, 4}, 0.1, 3), {0, 1, 3}).violated);
}

TEST(Choice, FlipsWithTheChanceOfItsMargin) {
  EXPECT_DOUBLE_EQ(choice({2, 1, 0}, 1.0, 1).flip_chance(), 0.5 * (1.0 - 1.0 / 2.0));
  EXPECT_DOUBLE_EQ(choice({2, 2, 0}, 1.0, 1).flip_chance(), 0.5);
  EXPECT_DOUBLE_EQ(choice({2, 2, 0}, 0.0, 1).flip_chance(), 0.5);
  EXPECT_EQ(choice({3, 1, 0}, 1.0, 1).flip_chance(), 0.0);
}

TEST(ExpertSet, IsTheTopScoresInAnyOrder) {
  const auto scores = choice({5, 2, 4, 3}, 0.1, 2);

  for (const auto& ids : std::vector<std::vector<int64_t>>{{0, 2}, {2, 0}}) {
    EXPECT_FALSE(judge_set(scores, ids).violated);
    EXPECT_FALSE(judge_set(scores, ids).flipped);
  }
}

TEST(ExpertSet, MustHoldWhatMustBeChosen) {
  const RowVerdict verdict = judge_set(choice({5, 2, 4, 3}, 0.1, 2), {0, 3});

  EXPECT_TRUE(verdict.violated);
  EXPECT_FALSE(verdict.flipped);
  EXPECT_THAT(verdict.reason, HasSubstr("id 2 (score 4) must be chosen"));
}

TEST(ExpertSet, MayFlipWithinTheScoreError) {
  const auto scores = choice({5, 3.9, 3, 1}, 0.5, 2);

  EXPECT_FALSE(judge_set(scores, {0, 2}).violated);
  EXPECT_TRUE(judge_set(scores, {0, 2}).flipped);
  EXPECT_FALSE(judge_set(scores, {0, 1}).flipped);
  EXPECT_TRUE(judge_set(scores, {0, 3}).violated);
}

TEST(ExpertSet, OfTiesIsEither) {
  const auto scores = choice({3, 2, 2, 1}, 0.0, 2);

  EXPECT_FALSE(judge_set(scores, {0, 1}).flipped);
  EXPECT_TRUE(judge_set(scores, {0, 2}).flipped);
  EXPECT_TRUE(judge_set(scores, {1, 2}).violated);
}

TEST(ExpertSet, HasNoDuplicatesAndNoStrangers) {
  const auto scores = choice({5, 2, 4, 3}, 0.1, 2);

  EXPECT_THAT(judge_set(scores, {0, 0}).reason, HasSubstr("id 0 is chosen twice"));
  EXPECT_THAT(judge_set(scores, {0, 4}).reason, HasSubstr("id 4 is outside 0..3"));
  EXPECT_THAT(judge_set(scores, {0, -1}).reason, HasSubstr("id -1 is outside 0..3"));
  EXPECT_TRUE(judge_set(scores, {INT64_MIN, INT64_MAX}).violated);
}

TEST(ExpertSet, HasExactlyKIds) {
  const auto open = choice({3, 2, 2, 2}, 9.0, 2);  // any two of the tied ids

  EXPECT_FALSE(judge_set(open, {1, 3}).violated);
  EXPECT_TRUE(judge_set(open, {1}).violated);
  EXPECT_TRUE(judge_set(open, {}).violated);
  EXPECT_TRUE(judge_set(open, {0, 1, 2}).violated);
}

TEST(BlockList, IsInDescendingScoreAndEndsInMinusOne) {
  const auto scores = choice({1, kForced, 3, kNothing, kNothing}, 0.1, 4);

  EXPECT_FALSE(judge_list(scores, {1, 2, 0, -1}).violated);
  EXPECT_THAT(judge_list(scores, {1, 0, 2, -1}).reason, HasSubstr("id 0 is listed before 2"));
  EXPECT_THAT(judge_list(scores, {2, 1, 0, -1}).reason, HasSubstr("id 2 is listed before 1"));
  EXPECT_THAT(judge_list(scores, {1, -1, 2, 0}).reason, HasSubstr("an id follows -1"));
  EXPECT_THAT(judge_list(scores, {1, 2, -1, -1}).reason, HasSubstr("2 ids are listed instead of 3 blocks"));
  EXPECT_THAT(judge_list(scores, {1, 2, 0, 3}).reason, HasSubstr("4 ids are listed instead of 3 blocks"));
  EXPECT_TRUE(judge_list(scores, {1, 2, 3, -1}).violated) << "nothing of block 3 is visible";
  EXPECT_TRUE(judge_list(scores, {1, 2, 2, -1}).violated);
  EXPECT_TRUE(judge_list(scores, {1, 2, -2, -1}).violated);
}

TEST(BlockList, KeepsTheForcedBlock) {
  const auto scores = choice({kForced, 4, 5, 3}, 0.1, 2);

  EXPECT_FALSE(judge_list(scores, {0, 2}).violated);
  EXPECT_THAT(judge_list(scores, {2, 1}).reason, HasSubstr("id 0 (score inf) must be chosen"));
}

TEST(BlockList, MaySwapNeighboursWithinTheScoreError) {
  const auto scores = choice({3.0, 2.8, 1.0}, 0.15, 3);

  EXPECT_FALSE(judge_list(scores, {1, 0, 2}).violated);
  EXPECT_FALSE(judge_list(scores, {1, 0, 2}).flipped) << "the same set";
  EXPECT_TRUE(judge_list(scores, {0, 2, 1}).violated);
}

TEST(BlockList, OrderIsOneOrderForAllNotForNeighboursOnly) {
  const auto scores = choice({2.0, 2.5, 3.0}, 0.3, 3);  // 0 before 1 and 1 before 2 are allowed, 0 before 2 is not

  EXPECT_TRUE(judge_list(scores, {0, 1, 2}).violated);
  EXPECT_FALSE(judge_list(scores, {1, 2, 0}).violated);
}

TEST(BlockList, OfNothingVisibleIsEmpty) {
  const auto scores = choice({kNothing, kNothing}, 0.1, 2);

  EXPECT_FALSE(judge_list(scores, {-1, -1}).violated);
  EXPECT_TRUE(judge_list(scores, {0, -1}).violated);
}

TEST(Tally, CountsRowsFlipsAndViolations) {
  const auto scores = choice({5, 3.9, 3, 1}, 0.5, 2);
  Discrete discrete;
  for (const auto& ids : std::vector<std::vector<int64_t>>{{0, 1}, {0, 2}, {0, 3}})
    tally(scores, judge_set(scores, ids), discrete);

  EXPECT_EQ(discrete.rows, 3);
  EXPECT_EQ(discrete.must, 3);
  EXPECT_EQ(discrete.may, 6);
  EXPECT_EQ(discrete.must_not, 3);
  EXPECT_EQ(discrete.flips, 1);
  EXPECT_EQ(discrete.violations, 1);
  EXPECT_EQ(discrete.delta, 0.5);
  EXPECT_NEAR(discrete.expected, 3 * 0.5 * (1.0 - 0.9), 1e-12);
}

TEST(Tally, CapsTheFlipsByWhatMarginsLeadOneToExpect) {
  Discrete discrete;
  EXPECT_EQ(most_flips(discrete), 0.0);

  discrete.expected = 1e-6;  // one flip is less probable than the alarm level
  EXPECT_EQ(most_flips(discrete), 0.0);
  discrete.expected = 1e-3;  // two flips would be less probable than the alarm level
  EXPECT_EQ(most_flips(discrete), 1.0);
  discrete.expected = 100.0;
  EXPECT_NEAR(most_flips(discrete), 100.0 + std::sqrt(2.0 * std::log(1e5) * 100.0), 5.0);
}

TEST(Flip, IsThePairOfTheSmallestMargin) {
  const Flip flip = flip_of(choice({5, 4, 3.75, 1}, 0.5, 2), {0, 2});

  EXPECT_EQ(flip.chosen, 2);
  EXPECT_EQ(flip.left_out, 1);
  EXPECT_EQ(flip.gap, 0.25);
  EXPECT_EQ(flip.reach, 1.0);
}

TEST(Flip, OfAListWithFewerBlocksThanIdsLeavesOutTheEnd) {
  const Flip flip = flip_of(choice({5, 4, 3.75, kNothing}, 0.5, 2), {2, 0, -1});

  EXPECT_EQ(flip.chosen, 2);
  EXPECT_EQ(flip.left_out, 1);
}

TEST(Tally, ChanceOfSeveralContendersIsThatOfTheirPairs) {
  EXPECT_DOUBLE_EQ(choice({2, 2, 2, 0}, 0.0, 1).flip_chance(), 1.0 - 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(choice({2, 2, 2, 2}, 0.5, 2).flip_chance(), 1.0 - 1.0 / 6.0);
  EXPECT_DOUBLE_EQ(choice({2, 1.5, 1.5, 0}, 0.5, 1).flip_chance(), 2 * 0.5 * (1.0 - 0.5));
}

}  // namespace
}  // namespace parity::compare
