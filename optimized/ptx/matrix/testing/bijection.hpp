// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For tests of fragment maps.
#pragma once

#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "optimized/ptx/matrix/fragment.hpp"

namespace parity::ptx {

/// Visits every position of a fragment; expects that none comes twice or lies outside.
template <class Map>
void expect_bijection(int lanes, const MatrixFragment& fragment, int rows, int columns, const Map& map) {
  std::set<std::pair<int, int>> seen;
  for (int lane = 0; lane < lanes; ++lane) {
    for (int number = 0; number < fragment.registers; ++number) {
      for (int element = 0; element < fragment.elements; ++element) {
        const MatrixPosition at = map(lane, number, element);
        ASSERT_TRUE(at.row >= 0 && at.row < rows && at.column >= 0 && at.column < columns);
        ASSERT_TRUE(seen.emplace(at.row, at.column).second) << lane << " " << number << " " << element;
      }
    }
  }
  ASSERT_EQ(seen.size(), static_cast<size_t>(rows * columns));
}

}  // namespace parity::ptx
