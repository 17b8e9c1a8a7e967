// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/statistics.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "benches/testing/samples.hpp"
#include "core/error.hpp"

namespace parity::benches {
namespace {

using tests::around;

TEST(Statistics, QuantilesLieBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2.0);
  EXPECT_DOUBLE_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_DOUBLE_EQ(quantile({0, 10}, 0.25), 2.5);
  EXPECT_DOUBLE_EQ(spread({1, 2, 3, 4, 5}), (4.0 - 2.0) / (2.0 * 3.0));
  EXPECT_THROW(static_cast<void>(median({})), Error);
}

TEST(Statistics, TheIntervalHoldsTheMedianAndNothingOutside) {
  const Interval interval = median_interval({1, 2, 3, 4, 5, 6, 7, 8, 9});

  EXPECT_LE(interval.low, 5.0);
  EXPECT_GE(interval.high, 5.0);
  EXPECT_GE(interval.low, 1.0);
  EXPECT_LE(interval.high, 9.0);
  EXPECT_DOUBLE_EQ(median_interval({2, 2, 2}).low, 2.0);
}

/// Of the six orders of two and two samples, two are as extreme: p = 2/6. For three and three samples: 2/20.
TEST(Statistics, TheRankTestCountsOrdersExactly) {
  EXPECT_NEAR(rank_test({1, 2}, {3, 4}), 2.0 / 6.0, 1e-12);
  EXPECT_NEAR(rank_test({3, 4}, {1, 2}), 2.0 / 6.0, 1e-12);
  EXPECT_NEAR(rank_test({1, 2, 3}, {4, 5, 6}), 2.0 / 20.0, 1e-12);
  EXPECT_NEAR(rank_test({1, 4}, {2, 3}), 1.0, 1e-12);
}

/// U = 0.5 of 4, ties {2, 2}: variance 4/12 (5 - 6/12) = 1.5, z = (2 - 0.5 - 0.5) / sqrt(1.5).
TEST(Statistics, TheRankTestCorrectsForTies) {
  EXPECT_NEAR(rank_test({1, 2}, {2, 3}), std::erfc(1.0 / std::sqrt(1.5) / std::sqrt(2.0)), 1e-12);
  EXPECT_DOUBLE_EQ(rank_test({1, 1}, {1, 1}), 1.0);
}

TEST(Verdict, NeedsAGapAndTheRanks) {
  EXPECT_EQ(compare_times(around(1.0), around(1.0)), Verdict::same);
  EXPECT_EQ(compare_times(around(1.0), around(1.2)), Verdict::slower);
  EXPECT_EQ(compare_times(around(1.2), around(1.0)), Verdict::faster);
  EXPECT_EQ(compare_times({1, 1.01, 1.02}, {1.2, 1.21, 1.22}), Verdict::inconclusive);      // three samples: p = 0.1
  EXPECT_EQ(compare_times({1, 3, 1, 3, 1, 3}, {1, 3, 1, 3, 1, 3}), Verdict::inconclusive);  // too wide to say the same
}

TEST(Verdict, OfTwoPassesThatDisagreeIsInconclusive) {
  EXPECT_EQ(confirmed(Verdict::slower, Verdict::slower), Verdict::slower);
  EXPECT_EQ(confirmed(Verdict::slower, Verdict::same), Verdict::inconclusive);
}

TEST(Verdict, OfCountsAllowsOnePercent) {
  EXPECT_EQ(compare_counts(1000, 1009), Verdict::same);
  EXPECT_EQ(compare_counts(1000, 1100), Verdict::slower);
  EXPECT_EQ(compare_counts(1000, 900), Verdict::faster);
  EXPECT_THROW(static_cast<void>(compare_counts(0, 900)), Error);
}

}  // namespace
}  // namespace parity::benches
