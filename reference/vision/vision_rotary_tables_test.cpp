// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rotary tables of the vision tower by hand.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_call.hpp"

namespace parity::reference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TestCall tables(const std::vector<int64_t>& grid, int64_t coordinates, int64_t width, int64_t patches) {
  TestCall call("vision_rotary_tables");
  call.ids("grid", {static_cast<int64_t>(grid.size()) / 3, 3}, grid)
      .param("theta", 1e4)
      .param("rotary_width", width)
      .param("coordinates", coordinates)
      .param("merge", int64_t{2})
      .out("cos", {patches, width})
      .out("sin", {patches, width});
  return call;
}

/// The coordinate of every patch in `column`: with one frequency per band, the angle is the coordinate itself.
std::vector<double> coordinate(const TestOutputs& outputs, int64_t column, int64_t width, int64_t patches) {
  std::vector<double> result;
  for (int64_t p = 0; p < patches; ++p) {
    const auto i = static_cast<size_t>(p * width + column);
    result.push_back(std::round(std::atan2(outputs["sin"][i], outputs["cos"][i])));
  }
  return result;
}

TEST(VisionRotaryTables, WalkMergeBlocksRowByRow) {
  const TestOutputs out = tables({1, 2, 4}, 3, 6, 8).exact();

  EXPECT_THAT(coordinate(out, 0, 6, 8), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(coordinate(out, 1, 6, 8), ElementsAre(0, 0, 1, 1, 0, 0, 1, 1));
  EXPECT_THAT(coordinate(out, 2, 6, 8), ElementsAre(0, 1, 0, 1, 2, 3, 2, 3));
}

TEST(VisionRotaryTables, RepeatTheBandsInTheSecondHalf) {
  const TestOutputs out = tables({1, 2, 4}, 3, 6, 8).exact();

  for (int64_t column = 0; column < 3; ++column)
    EXPECT_EQ(coordinate(out, column, 6, 8), coordinate(out, column + 3, 6, 8));
}

TEST(VisionRotaryTables, StartAtZeroInEveryMediumAndCountFrames) {
  const TestOutputs out = tables({2, 2, 2, 1, 2, 2}, 3, 6, 12).exact();

  EXPECT_THAT(coordinate(out, 0, 6, 12), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0));
  EXPECT_THAT(coordinate(out, 1, 6, 12), ElementsAre(0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1));
}

TEST(VisionRotaryTables, TwoCoordinatesAreFrameAndRow) {
  const TestOutputs out = tables({2, 2, 2}, 2, 4, 8).exact();

  EXPECT_THAT(coordinate(out, 0, 4, 8), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(coordinate(out, 1, 4, 8), ElementsAre(0, 0, 1, 1, 0, 0, 1, 1));
}

TEST(VisionRotaryTables, FrequenciesFallWithinABand) {
  // Width 12, 3 bands of 4: frequencies 1 and 1e4^(-2/4) = 0.01.
  const TestOutputs out = tables({1, 2, 2}, 3, 12, 4).exact();

  const auto row_1 = [&](const char* field, size_t column) { return out[field][2 * 12 + column]; };
  EXPECT_NEAR(row_1("sin", 2), std::sin(1.0), 1e-7);
  EXPECT_NEAR(row_1("sin", 3), std::sin(0.01), 1e-9);
  EXPECT_EQ(row_1("sin", 0), 0.0);  // frame
}

TEST(VisionRotaryTables, RefuseGridsOfOtherPatches) {
  ErrorCode code{};

  EXPECT_THAT(error_of(code,
                       [&] {
                         (void)tables({1, 2, 4}, 3, 6, 12).exact();
                       }),
              HasSubstr("grid_thw describes 8 patches, but there are 12"));
  EXPECT_THAT(error_of(code, [&] { (void)tables({1, 3, 4}, 3, 6, 12).exact(); }), HasSubstr("not a multiple"));
  EXPECT_THAT(error_of(code, [&] { (void)tables({1, 0, 4}, 3, 6, 0).exact(); }), HasSubstr("grid_thw row 0"));
  EXPECT_EQ(code, ErrorCode::schema);
}

}  // namespace
}  // namespace parity::reference
