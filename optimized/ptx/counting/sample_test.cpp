// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/counting/sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optimized/ptx/counting/testing/textbook.hpp"

namespace parity::ptx {
namespace {

using testing::SizeIs;

TEST(PtxSample, OneOfEachPartRuns) {
  const std::vector<uint64_t> numbers = spread(100, 7, 1);

  ASSERT_THAT(numbers, SizeIs(7));
  for (uint64_t i = 0; i < 7; ++i) {
    EXPECT_GE(numbers[i], 100 * i / 7);
    EXPECT_LT(numbers[i], 100 * (i + 1) / 7);
  }
  EXPECT_EQ(spread(100, 7, 1), numbers);
  EXPECT_NE(spread(100, 7, 2), numbers);
}

TEST(PtxSample, ThePartsOfAPairMirrorEachOther) {
  constexpr uint64_t kAll = 4096, kWanted = 8;
  uint64_t sum = 0;
  for (const uint64_t number : spread(kAll, kWanted, 1)) sum += number;

  EXPECT_EQ(2 * sum, kWanted * (kAll - 1)) << "the mean of what grows evenly is that of all";
}

Exercise copy_of(uint32_t blocks) {
  return {.kernel = "copy_strided", .grid = {blocks, 1, 1}, .read = 32 * blocks, .written = 32 * blocks, .last = 1};
}

TEST(PtxSample, BlocksThatAreAlikeScaleToTheFullCount) {
  const Counters full = counters_of(copy_of(24));
  Exercise exercise = copy_of(24);
  exercise.options.sample = {.blocks = 5, .seed = 3};
  exercise.options.workers = 2;
  const Counters sampled = counters_of(exercise);

  EXPECT_EQ(full.blocks_run(), 24U);
  EXPECT_TRUE(full.run.empty());
  EXPECT_EQ(sampled.blocks_run(), 5U);
  EXPECT_THAT(sampled.run, SizeIs(5));
  EXPECT_EQ(sampled.counted().instructions * 24, full.counted().instructions * 5);
  EXPECT_EQ(sampled.total(), full.total());
}

TEST(PtxSample, UniqueBytesAreNeverScaled) {
  Exercise exercise = copy_of(24);
  exercise.options.sample = {.blocks = 5};

  EXPECT_FALSE(counters_of(exercise).unique.has_value());
  EXPECT_TRUE(counters_of(copy_of(24)).unique.has_value());
}

TEST(PtxSample, AsManyBlocksAsThereAreRunAll) {
  Exercise exercise = copy_of(4);
  exercise.options.sample = {.blocks = 4};

  EXPECT_TRUE(counters_of(exercise).run.empty());
}

}  // namespace
}  // namespace parity::ptx
