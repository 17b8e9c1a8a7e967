// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cpu/level.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "optimized/cpu/multiply_add.hpp"

namespace parity::cpu {
namespace {

TEST(Level, NamesAreReadBack) {
  for (const Level known : kLevels) EXPECT_EQ(parse_level(to_string(known)), known);
  EXPECT_THROW(static_cast<void>(parse_level("avx3")), Error);
}

TEST(Level, PicksTheFunctionOfTheLevelInUse) {
  using Function = int();
  Function* const lowest = [] { return 0; };
  Function* const second = [] { return 1; };
  Function* const third = [] { return 2; };
  Function* const highest = [] { return 3; };
  const Level before = level();
  for (const Level each : kLevels) {
    if (each > highest_level()) {
      EXPECT_THROW(use_level(each), Error);
      continue;
    }
    use_level(each);
    EXPECT_EQ(pick(lowest, second, third, highest)(), static_cast<int>(each));
  }
  use_level(before);
}

TEST(Level, MultipliesAndAddsWithOneRounding) {
  float a[16], b[16], c[16], out[16];
  std::fill_n(a, 16, 1.0F + 0x1p-12F);
  std::fill_n(b, 16, 1.0F - 0x1p-12F);
  std::fill_n(c, 16, -1.0F);
  const Level before = level();
  for (const Level each : kLevels) {
    if (each > highest_level()) continue;
    use_level(each);
    multiply_add({a, b, c, out});
    for (const float x : out)
      EXPECT_EQ(x, -0x1p-24F) << to_string(each) << ": the product was rounded before it was added";
  }
  use_level(before);
}

}  // namespace
}  // namespace parity::cpu
