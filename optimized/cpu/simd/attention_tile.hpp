// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The two products of attention: sums over words of a vector times a broadcast word. The order of a sum depends neither
// on the number of vectors nor on the number of columns that are computed together.
#pragma once

#include "optimized/cpu/attention/attention_window.hpp"
#include "optimized/cpu/simd/attention_words.hpp"

namespace parity::cpu::PARITY_LEVEL {

/// The most vectors computed together, and the columns for `vectors` of them. The sums hide the latency of additions
/// and fit into the registers beside the operands; a row of vectors fits into the first-level cache. Dot products of
/// pairs take longer than their loads; tiles read keys and values once for all vectors.
template <class Kind>
inline constexpr int kTogether = Kind::kStepsTogether > 1 ? 4
                                 : Kind::kPerWord == 1    ? 3
                                                          : 2;
template <int vectors>
inline constexpr int kColumns = vectors > 3   ? 4
                                : kLanes == 8 ? (vectors == 1 ? 8 : 4)
                                              : (vectors == 1 ? 16 : 8);
static_assert(kTogether<Singles> <= kGroupVectors);

/// Adds sums[v][n] += sum over steps of a[v][step] * b[n * column + step * row]. The loop over steps is unrolled,
/// because branch prediction then sees its end and g++ 12 keeps the operands in registers.
template <class Kind, int vectors, int columns>
[[gnu::always_inline]] inline void multiply(const float* const* a, const float* b, int64_t column, int64_t row,
                                            int64_t steps, Floats (&sums)[vectors][columns]) {
#pragma GCC unroll 4
  for (int64_t step = 0; step < steps; ++step) {
    Floats left[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) left[v] = load(a[v] + step * kLanes);
#pragma GCC unroll 16
    for (int n = 0; n < columns; ++n) {
      const Floats right = broadcast(b + n * column + step * row);
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) sums[v][n] = Kind::multiply_add(left[v], right, sums[v][n]);
    }
  }
}

/// Prefetches rows that are needed next; a single vector would otherwise wait for them.
template <class T>
[[gnu::always_inline]] inline void fetch(const T* rows, int64_t stride, int count, int64_t width) {
  constexpr int64_t kLine = 64 / sizeof(T);
  for (int n = 0; n < count; ++n) {
    for (int64_t d = 0; d < width; d += kLine) __builtin_prefetch(rows + n * stride + d);
  }
}

/// Computes scores[v][j] = q[v] . k[j] for `columns` keys.
template <class Kind, int vectors, int columns>
[[gnu::always_inline]] inline void score(const float* const* queries, const float* keys, int64_t stride, int64_t steps,
                                         float* const* scores) {
  Floats sums[vectors][columns] = {};
  multiply<Kind, vectors, columns>(queries, keys, stride, 1, steps, sums);
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) {
#pragma GCC unroll 16
    for (int n = 0; n < columns; ++n) store(scores[v] + n * kLanes, sums[v][n]);
  }
}

/// Computes mixed[v][d] = shrink[v] * mixed[v][d] + sum over steps of weights[v][step] * values[step][d] for one panel.
template <class Kind, int vectors>
[[gnu::always_inline]] inline void mix(const float* const* weights, const float* panel, int64_t row, int64_t width,
                                       int64_t steps, const Floats* shrink, float* const* mixed) {
  constexpr int columns = kColumns<vectors>;
  for (int64_t d = 0; d < width; d += columns) {
    Floats sums[vectors][columns];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
#pragma GCC unroll 16
      for (int n = 0; n < columns; ++n) sums[v][n] = load(mixed[v] + (d + n) * kLanes) * shrink[v];
    }
    multiply<Kind, vectors, columns>(weights, panel + d, 1, row, steps, sums);
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
#pragma GCC unroll 16
      for (int n = 0; n < columns; ++n) store(mixed[v] + (d + n) * kLanes, sums[v][n]);
    }
  }
}

}  // namespace parity::cpu::PARITY_LEVEL
