// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cpu/level.hpp"

#include <gtest/gtest.h>

#include "core/error.hpp"

namespace parity::cpu {
namespace {

TEST(Level, NamesAreReadBack) {
  for (const Level known : kLevels) EXPECT_EQ(parse_level(to_string(known)), known);
  EXPECT_THROW(static_cast<void>(parse_level("avx3")), Error);
}

TEST(Level, PicksTheFunctionOfTheLevelInUse) {
  using Function = int();
  Function* const lowest = [] { return 0; };
  Function* const middle = [] { return 1; };
  Function* const highest = [] { return 2; };
  const Level before = level();
  for (const Level each : kLevels) {
    if (each > highest_level()) {
      EXPECT_THROW(use_level(each), Error);
      continue;
    }
    use_level(each);
    EXPECT_EQ(pick(lowest, middle, highest)(), static_cast<int>(each));
  }
  use_level(before);
}

}  // namespace
}  // namespace parity::cpu
