// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Operands of aligned sums, in the order in which they are added, with their exponents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "optimized/ptx/matrix/aligned_sum.hpp"
#include "optimized/ptx/matrix/types.hpp"

namespace parity::ptx {

using Floats = float __attribute__((vector_size(4 * kColumns)));
using Wholes = int32_t __attribute__((vector_size(4 * kColumns)));

// Exponents of what has none: far below and above every other, also when two of them are added.
inline constexpr int kOfZero = -8000, kOfSpecial = 16000;
inline constexpr int kNoTerm = -4000;  // a largest exponent below it is that of zeros only

inline void set_exponents(const Floats& x, int smallest, Wholes& exponents) {
  const Wholes magnitude = reinterpret_cast<Wholes>(x) & 0x7FFFFFFF;
  const Wholes exponent = (magnitude >> 23) - 127;
  const Wholes normal = exponent > smallest ? exponent : Wholes{} + smallest;
  const Wholes special = magnitude >= 0x7F800000 ? Wholes{} + kOfSpecial : normal;
  exponents = magnitude == 0 ? Wholes{} + kOfZero : special;
}

/// Eight columns of B, their k in the order in which they are added, and their exponents.
struct Columns {
  std::vector<Floats> numbers;
  std::vector<Wholes> exponents;
};

/// A, each row in the order in which its numbers are added.
struct Rows {
  std::vector<float> numbers;
  std::vector<int32_t> exponents;
};

/// The k-th number to be added; in pairs of four these are 0, 1, 4, 5, …, then 2, 3, 6, 7, ….
inline int place(int k, int count, bool pairs_of_four) {
  if (!pairs_of_four) return k;
  const int half = count / 2, in_half = k % half;
  return in_half / 2 * 4 + in_half % 2 + (k < half ? 0 : 2);
}

inline void set_columns(int n, int k, const float* b, const AlignedSum& how, Columns& columns) {
  columns.numbers.resize(static_cast<size_t>(k));
  columns.exponents.resize(static_cast<size_t>(k));
  for (int l = 0; l < k; ++l) {
    Floats& numbers = columns.numbers[static_cast<size_t>(l)];
    std::memcpy(&numbers, b + static_cast<ptrdiff_t>(place(l, k, how.pairs_of_four)) * n, sizeof numbers);
    set_exponents(numbers, how.smallest_b, columns.exponents[static_cast<size_t>(l)]);
  }
}

/// The arrays are as long as a multiple of eight, because exponents are found for eight numbers at a time.
inline void set_rows(int m, int k, const float* a, const AlignedSum& how, Rows& rows) {
  const size_t count = static_cast<size_t>(m) * static_cast<size_t>(k);
  const size_t room = (count + kColumns - 1) / kColumns * kColumns;
  rows.numbers.assign(room, 0.0F);
  rows.exponents.resize(room);
  for (int i = 0; i < m; ++i) {
    for (int l = 0; l < k; ++l) rows.numbers.data()[i * k + l] = a[i * k + place(l, k, how.pairs_of_four)];
  }
  for (size_t i = 0; i < count; i += kColumns) {
    Floats numbers;
    Wholes exponents;
    std::memcpy(&numbers, rows.numbers.data() + i, sizeof numbers);
    set_exponents(numbers, how.smallest_a, exponents);
    std::memcpy(rows.exponents.data() + i, &exponents, sizeof exponents);
  }
}

}  // namespace parity::ptx
