// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rotates the first channels of one row, whose elements come from a Plain or a Normed row.
#pragma once

#include <type_traits>

#include "optimized/cpu/simd/norm.hpp"

namespace parity::cpu::PARITY_LEVEL {

/// Turns channels i and i + half by the angles of i, and copies the channels from 2 half on.
template <class Row, class T, class Table>
[[gnu::always_inline]] inline void turn(const Row& row, const Table* cos, const Table* sin, T* out, int64_t half,
                                        int64_t width) {
  const auto left = [](Floats low, Floats high, Floats c, Floats s) { return low * c - high * s; };
  const auto right = [](Floats low, Floats high, Floats c, Floats s) { return high * c + low * s; };
  int64_t i = 0;
  if constexpr (std::is_same_v<T, Table>) {  // both are read in the same order
    for (; i + kTwo <= half; i += kTwo) {
      const Two low = row.two(i), high = row.two(half + i);
      store_two(out + i, of_two(left, low, high, load_two(cos + i), load_two(sin + i)));
      store_two(out + half + i, of_two(right, low, high, load_two(cos + half + i), load_two(sin + half + i)));
    }
  }
  for (; i + kLanes <= half; i += kLanes) {
    const Floats low = row.one(i), high = row.one(half + i);
    store(out + i, left(low, high, load(cos + i), load(sin + i)));
    store(out + half + i, right(low, high, load(cos + half + i), load(sin + half + i)));
  }
  if (i < half) {
    const int64_t rest = half - i;
    const Floats low = row.some(i, rest), high = row.some(half + i, rest);
    store_some(out + i, left(low, high, load_some(cos + i, rest), load_some(sin + i, rest)), rest);
    store_some(out + half + i, right(low, high, load_some(cos + half + i, rest), load_some(sin + half + i, rest)),
               rest);
  }
  write_row(row, out, 2 * half, width);
}

}  // namespace parity::cpu::PARITY_LEVEL
