// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Top-k with the canonical tie rule.
#include "reference/top_k.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parity::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(TopK, GivesPositionsInDescendingScore) { EXPECT_THAT(top_k({1, 4, 2, 3}, 3), ElementsAre(1, 3, 2)); }

TEST(TopK, BreaksTiesByTheSmallerPosition) {
  EXPECT_THAT(top_k({5, 7, 7, 5, 7}, 4), ElementsAre(1, 2, 4, 0));
  EXPECT_THAT(top_k({0.0, -0.0}, 2), ElementsAre(0, 1));  // zeros are equal
}

TEST(TopK, GivesAllWhenThereAreFewer) {
  EXPECT_THAT(top_k({1, 2}, 5), ElementsAre(1, 0));
  EXPECT_THAT(top_k({}, 5), IsEmpty());
  EXPECT_THAT(top_k({1, 2}, 0), IsEmpty());
}

TEST(TopK, CountsNaNAsTheLargest) { EXPECT_THAT(top_k({kInfinity, kNaN, 1, kNaN}, 3), ElementsAre(1, 3, 0)); }

TEST(TopK, PutsMinusInfinityLast) { EXPECT_THAT(top_k({-kInfinity, -1e300, 0}, 3), ElementsAre(2, 1, 0)); }

}  // namespace
}  // namespace parity::reference
