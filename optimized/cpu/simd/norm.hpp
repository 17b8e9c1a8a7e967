// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The root-mean-square norm of one row, written as a whole or read element by element for a following operation.
#pragma once

#include "optimized/cpu/simd/pairs.hpp"

namespace parity::cpu::PARITY_LEVEL {

/// Prefetch distance. Nothing is written before the norm is known, so the first pass prefetches the lines to be
/// written, and the second pass the next row.
inline constexpr int64_t kLine = 64;  // bytes
template <bool kWritten, class T>
[[gnu::always_inline]] inline void prefetch_lines(const T* x, int64_t count) {
  for (int64_t at = 0; at < count * static_cast<int64_t>(sizeof(T)); at += kLine)
    __builtin_prefetch(reinterpret_cast<const char*>(x) + at, kWritten ? 1 : 0, 3);
}

/// Returns the mean square of a row; four sums hide the latency of the additions.
template <class T>
[[gnu::always_inline]] inline float mean_square(const T* x, int64_t width, T* target) {
  Floats total[4] = {};
  const auto add = [&](int at, const Two& v) {
    total[at] = v.first * v.first + total[at];
    total[at + 1] = v.second * v.second + total[at + 1];
  };
  int64_t h = 0;
  for (; h + 2 * kTwo <= width; h += 2 * kTwo) {
    if (target != nullptr) prefetch_lines<true>(target + h, 2 * kTwo);
    add(0, load_two(x + h));
    add(2, load_two(x + h + kTwo));
  }
  for (; h + kLanes <= width; h += kLanes) {
    const Floats v = load(x + h);
    total[0] = v * v + total[0];
  }
  if (h < width) {
    const Floats tail = load_some(x + h, width - h);
    total[1] = tail * tail + total[1];
  }
  return sum((total[0] + total[1]) + (total[2] + total[3])) / static_cast<float>(width);
}

/// The elements of a row, unchanged.
template <class T>
struct Plain {
  const T* x;

  [[gnu::always_inline]] Two two(int64_t i) const { return load_two(x + i); }
  [[gnu::always_inline]] Floats one(int64_t i) const { return load(x + i); }
  [[gnu::always_inline]] Floats some(int64_t i, int64_t count) const { return load_some(x + i, count); }
};

/// The elements of the sum of two rows.
template <class T>
struct Added {
  const T* a;
  const T* b;

  [[gnu::always_inline]] Two two(int64_t i) const {
    return of_two([](Floats x, Floats y) { return x + y; }, load_two(a + i), load_two(b + i));
  }
  [[gnu::always_inline]] Floats one(int64_t i) const { return load(a + i) + load(b + i); }
  [[gnu::always_inline]] Floats some(int64_t i, int64_t count) const {
    return load_some(a + i, count) + load_some(b + i, count);
  }
};

/// The normed elements of a row, computed when they are read.
template <class T>
struct Normed {
  const T* x;
  const T* weight;
  float inverse, offset;

  [[gnu::always_inline]] Normed(const T* row, const T* gain, int64_t width, float eps, float gain_offset,
                                T* target = nullptr)
      : x(row),
        weight(gain),
        inverse(1.0F / __builtin_sqrtf(mean_square(row, width, target) + eps)),
        offset(gain_offset) {}

  [[gnu::always_inline]] Two two(int64_t i) const {
    return of_two([this](Floats v, Floats w) { return v * inverse * (w + offset); }, load_two(x + i),
                  load_two(weight + i));
  }
  [[gnu::always_inline]] Floats one(int64_t i) const { return load(x + i) * inverse * (load(weight + i) + offset); }
  [[gnu::always_inline]] Floats some(int64_t i, int64_t count) const {
    return load_some(x + i, count) * inverse * (load_some(weight + i, count) + offset);
  }
};

/// Writes elements [first, last) of a row.
template <class Row, class T>
[[gnu::always_inline]] inline void write_row(const Row& row, T* out, int64_t first, int64_t last,
                                             const T* next = nullptr) {
  int64_t h = first;
  for (; h + kTwo <= last; h += kTwo) {
    if (next != nullptr) prefetch_lines<false>(next + h, kTwo);
    store_two(out + h, row.two(h));
  }
  for (; h + kLanes <= last; h += kLanes) store(out + h, row.one(h));
  if (h < last) store_some(out + h, row.some(h, last - h), last - h);
}

}  // namespace parity::cpu::PARITY_LEVEL
