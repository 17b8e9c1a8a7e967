// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/values/error_picture.hpp"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/testing/sample_values.hpp"

namespace parity::compare {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

/// Four rows of two equal values, of which the candidate has one wrong: row 2, column 1 is 3 ulp too small.
tests::Sample one_wrong() {
  tests::Sample sample;
  sample.row = 2;
  sample.dtype = sample.working = DType::bf16;
  sample.exact.assign(8, 1.5);
  sample.rounded = sample.got = sample.exact;
  sample.rounding.assign(8, 1.0 / 256);
  sample.noise.assign(8, 0.0);
  sample.at(2, 1) = 1.5 - 3.0 / 128;
  return sample;
}

TEST(ErrorPicture, ShowsWhereTheErrorIs) {
  const tests::Sample sample = one_wrong();

  const ErrorPicture picture = picture_of(sample.values(), "B,S,H", {2, 2, 2});

  EXPECT_EQ(picture.map.row_axes, "B,S");
  EXPECT_EQ(picture.map.column_axis, "H");
  EXPECT_EQ(picture.map.rows, 4);
  EXPECT_EQ(picture.map.columns, 2);
  ASSERT_EQ(picture.map.budget.size(), 8U);
  EXPECT_GT(picture.map.budget[5], 1.0);
  EXPECT_EQ(std::accumulate(picture.map.budget.begin(), picture.map.budget.end(), 0.0), picture.map.budget[5]);
}

TEST(ErrorPicture, CountsSignedUlp) {
  const tests::Sample sample = one_wrong();

  const ErrorPicture picture = picture_of(sample.values(), "S,H", {4, 2});

  ASSERT_EQ(picture.ulp.size(), 2U);
  EXPECT_EQ(picture.ulp[0].from, -4.0);
  EXPECT_EQ(picture.ulp[0].to, -2.0);
  EXPECT_EQ(picture.ulp[0].elements, 1);
  EXPECT_EQ(picture.ulp[1].from, 0.0);
  EXPECT_EQ(picture.ulp[1].to, 0.0);
  EXPECT_EQ(picture.ulp[1].elements, 7);
}

TEST(ErrorPicture, ListsTheWorstElementWithItsSign) {
  const tests::Sample sample = one_wrong();

  const ErrorPicture picture = picture_of(sample.values(), "S,H", {4, 2});

  ASSERT_EQ(picture.worst.size(), 1U);
  EXPECT_THAT(picture.worst[0].index, ElementsAre(2, 1));
  EXPECT_EQ(picture.worst[0].ulp, -3.0);
  EXPECT_EQ(picture.worst[0].got, 1.4765625);
}

TEST(ErrorPicture, SortsErrorsByTheOctaveOfTheExactValue) {
  tests::Sample sample = one_wrong();
  sample.exact[0] = sample.rounded[0] = sample.got[0] = 0.0;

  const ErrorPicture picture = picture_of(sample.values(), "S,H", {4, 2});

  ASSERT_EQ(picture.magnitude.size(), 2U);
  EXPECT_EQ(picture.magnitude[0].to, 0.0);
  EXPECT_EQ(picture.magnitude[0].elements, 1);
  EXPECT_EQ(picture.magnitude[1].from, 1.0);
  EXPECT_EQ(picture.magnitude[1].to, 2.0);
  EXPECT_EQ(picture.magnitude[1].largest, 3.0 / 128);
  EXPECT_DOUBLE_EQ(picture.magnitude[1].rms, 3.0 / 128 / std::sqrt(7.0));
  EXPECT_LT(picture.magnitude[1].allowed, 3.0 / 128);
}

TEST(ErrorPicture, OfALargeTapHasSixtyFourCellsEachWay) {
  tests::Sample sample = tests::correct(200, 100, DType::bf16);
  sample.at(199, 99) = 1e9;

  const ErrorPicture picture = picture_of(sample.values(), "S,H", {200, 100});

  EXPECT_EQ(picture.map.budget.size(), 64U * 64U);
  EXPECT_EQ(picture.map.row_extent, 200);
  EXPECT_GT(picture.map.budget.back(), 1e6);
  EXPECT_LE(picture.worst.size(), 16U);
  EXPECT_GT(picture.ulp.back().from, 1000.0) << "ulp are steps between neighbours, whose distance grows";
}

TEST(ErrorPicture, CountsWhatIsNoNumberApart) {
  tests::Sample sample = one_wrong();
  sample.got[0] = std::nan("");

  const ErrorPicture picture = picture_of(sample.values(), "S,H", {4, 2});

  EXPECT_EQ(picture.no_numbers, 1);
  EXPECT_EQ(picture.map.budget[0], HUGE_VAL);
  EXPECT_THAT(picture.worst[0].index, ElementsAre(0, 0));
}

TEST(ErrorPicture, OfATapWithoutElementsIsEmpty) {
  const tests::Sample sample{};

  const ErrorPicture picture = picture_of(sample.values(), "S,H", {0, 4});

  EXPECT_TRUE(picture.ulp.empty());
  EXPECT_THAT(picture.map.budget, Each(0.0));
}

}  // namespace
}  // namespace parity::compare
