// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/values/slices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parity::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Returns a map whose budgets are 0 except at the flat indices of `over`.
FailureMap map_of(const std::string& axes, const Shape& shape, const std::map<int64_t, double>& over) {
  FailureMap result(axes, shape);
  for (int64_t i = 0; i < element_count(shape); ++i) {
    const auto found = over.find(i);
    result.add(found == over.end() ? 0.0 : found->second);
  }
  return result;
}

const Slice& slice_of(const std::vector<Slice>& slices, const std::string& axis) {
  return *std::find_if(slices.begin(), slices.end(), [&](const Slice& slice) { return slice.axis == axis; });
}

TEST(Slices, IndexIsRowMajor) {
  EXPECT_THAT(index_of(0, {2, 3, 4}), ElementsAre(0, 0, 0));
  EXPECT_THAT(index_of(23, {2, 3, 4}), ElementsAre(1, 2, 3));
  EXPECT_THAT(index_of(6, {2, 3, 4}), ElementsAre(0, 1, 2));
  EXPECT_THAT(index_of(0, {}), IsEmpty());
}

TEST(Slices, AxesHaveWordsAndUnknownOnesTheirLetters) {
  EXPECT_EQ(axis_word("S"), "token");
  EXPECT_EQ(axis_word("A"), "head");
  EXPECT_EQ(axis_word("E"), "expert");
  EXPECT_EQ(axis_word("2F"), "column");
}

TEST(Slices, NameTheWorstPositionOfEveryAxisAndOfTheRows) {
  // In (2, 3, 4), row 4 = (1, 1) fails twice, and row 2 = (0, 2) once by a large factor.
  const auto map = map_of("B,S,H", {2, 3, 4}, {{16, 2.0}, {18, 3.0}, {8, 50.0}});
  const auto slices = map.slices();

  EXPECT_EQ(map.failed(), 3);
  EXPECT_EQ(map.worst(), 8);
  EXPECT_EQ(map.worst_budget(), 50.0);
  EXPECT_EQ(slice_of(slices, "row").position, 4);
  EXPECT_EQ(slice_of(slices, "row").positions, 6);
  EXPECT_EQ(slice_of(slices, "row").failed, 2);
  EXPECT_EQ(slice_of(slices, "row").budget_used, 3.0);
  EXPECT_EQ(slice_of(slices, "sequence").position, 1);
  EXPECT_EQ(slice_of(slices, "token").position, 1);
  EXPECT_EQ(slice_of(slices, "channel").position, 0);
  EXPECT_EQ(slice_of(slices, "channel").failed, 2);
}

TEST(Slices, WithoutFailuresNameTheLargestBudget) {
  const auto map = map_of("S,H", {3, 4}, {{5, 0.5}, {11, 0.25}});

  EXPECT_EQ(map.failed(), 0);
  EXPECT_EQ(slice_of(map.slices(), "row").position, 1);
  EXPECT_EQ(slice_of(map.slices(), "channel").position, 1);
}

TEST(Slices, LeaveOutAxesOfOne) {
  EXPECT_EQ(map_of("B,S,H", {1, 1, 4}, {}).slices().size(), 2U);  // rows and channels
  EXPECT_THAT(map_of("", {}, {{0, 2.0}}).slices(), IsEmpty());
}

TEST(Slices, FullBudgetIsNoFailure) {
  EXPECT_EQ(map_of("H", {4}, {{2, 1.0}}).failed(), 0);
  EXPECT_EQ(map_of("H", {4}, {{2, 1.0000001}}).failed(), 1);
}

TEST(Slices, DescriptionIsTheRegionOfTheFailures) {
  EXPECT_EQ(map_of("B,S,H", {2, 3, 4}, {{17, 2.0}}).description(), "the one in sequence 1, token 1, channel 1");
  EXPECT_EQ(map_of("B,S,H", {2, 3, 4}, {{4, 2.0}, {5, 2.0}, {6, 2.0}, {7, 2.0}}).description(),
            "all 4 of sequence 0, token 1");
  EXPECT_EQ(map_of("B,S,H", {2, 3, 4}, {{4, 2.0}, {7, 2.0}, {16, 2.0}, {19, 2.0}}).description(),
            "all 4 of token 1, channels 0 + 3");
  EXPECT_EQ(map_of("B,S,H", {2, 3, 4}, {{0, 2.0}, {23, 2.0}}).description(),
            "2 of 24 elements, scattered over 2 of 3 tokens, 2 of 4 channels");
}

TEST(Slices, OfAScalarOrAnEmptyTapAreHarmless) {
  EXPECT_EQ(map_of("", {}, {{0, 2.0}}).failed(), 1);
  EXPECT_EQ(map_of("S,H", {0, 4}, {}).failed(), 0);
  EXPECT_EQ(map_of("S,H", {3, 0}, {}).slices().size(), 2U);
}

}  // namespace
}  // namespace parity::compare
