// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The environment that a report records.
#include "core/environment.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parity {
namespace {

TEST(Environment, EveryFieldIsFilled) {
  const Environment environment = capture_environment();

  EXPECT_THAT(environment.version, ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_FALSE(environment.build_type.empty());
  EXPECT_THAT(environment.compiler, ::testing::HasSubstr("g++"));
  EXPECT_THAT(environment.os, ::testing::HasSubstr("Linux"));
  EXPECT_FALSE(environment.cpu.empty());
  EXPECT_GT(environment.threads, 0);
  EXPECT_GT(environment.memory_bytes, int64_t{1} << 27);
  EXPECT_EQ(environment.libraries.size(), 2U);
}

TEST(Environment, NamesWhatStandsInPlaceOfTheUsualKernels) {
  setenv("PARITY_CUDA_MODULES", "/elsewhere", 1);
  const Environment environment = capture_environment();
  unsetenv("PARITY_CUDA_MODULES");

  EXPECT_THAT(environment.libraries,
              ::testing::Contains(std::pair<std::string, std::string>("PARITY_CUDA_MODULES", "/elsewhere")));
}

TEST(Environment, TimeIsIso8601Utc) {
  EXPECT_THAT(capture_environment().when, ::testing::MatchesRegex("20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9:]+Z"));
}

TEST(PeakResident, GrowsWithWhatIsTouchedAndCountsBytes) {
  constexpr int64_t kBytes = int64_t{64} << 20;
  const int64_t before = peak_resident_bytes();
  std::vector<char> block(static_cast<size_t>(before + kBytes), 1);  // more memory than the process had before

  EXPECT_GE(peak_resident_bytes(), before + kBytes / 2);
  EXPECT_LT(before, int64_t{1} << 36);
  EXPECT_EQ(block.back(), 1);
}

}  // namespace
}  // namespace parity
