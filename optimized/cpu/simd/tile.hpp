// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Dot products of a tile of rows with other rows: a token in each lane, the other rows' channels broadcast.
// BF16 is multiplied in pairs if the level can, else it is widened first.
#pragma once

#include <type_traits>

#include "optimized/cpu/simd/transpose.hpp"

namespace parity::cpu::PARITY_LEVEL {

#ifdef PARITY_LEVEL_avx2
inline constexpr int kVectors = 3;  // with four rows, 12 of 16 registers hold sums
#else
inline constexpr int kVectors = 4;
#endif
inline constexpr int kTileRows = 4;
inline constexpr int kTokens = kVectors * kLanes;

#ifdef PARITY_LEVEL_avx512_bf16
template <class T>
inline constexpr bool kPairs = std::is_same_v<T, BFloat16>;
#else
template <class T>
inline constexpr bool kPairs = false;
#endif
/// The channels of one multiplication, the type that a broadcast reads, and the type of the other operand's rows.
template <class T>
inline constexpr int kChannels = kPairs<T> ? 2 : 1;
template <class T>
using Packed = std::conditional_t<kPairs<T>, uint32_t, float>;
template <class T>
using Row = std::conditional_t<kPairs<T>, BFloat16, float>;

/// Returns kLanes words of a row from `step` on.
template <class T>
[[gnu::always_inline]] inline Floats packed_words(const T* row, int64_t step) {
  Floats words;
  if constexpr (kPairs<T>) {
    std::memcpy(&words, row + 2 * step, sizeof words);
  } else {
    words = load(row + step);
  }
  return words;
}

/// Packs steps [first, last) of `count` rows, each in a line of `line` words; zeros for missing rows and after an odd
/// width. Reads as many rows at a time as a register has lanes; incomplete registers are packed one word at a time.
template <class T>
void pack(const T* const* rows, int64_t count, int64_t width, int64_t first, int64_t last, Packed<T>* packed,
          int64_t line = kTokens) {
  const auto word = [&](int64_t t, int64_t i) -> Packed<T> {
    if (t >= count) return 0;
    if constexpr (kPairs<T>) {
      return rows[t][2 * i].bits | (2 * i + 1 < width ? static_cast<uint32_t>(rows[t][2 * i + 1].bits) << 16U : 0U);
    } else {
      return float_of(rows[t][i]);
    }
  };
  for (int64_t t = 0; t < line; t += kLanes) {
    int64_t i = first;
    for (; i + kLanes <= last && (i + kLanes) * kChannels<T> <= width; i += kLanes) {
      Floats x[kLanes];
      for (int64_t lane = 0; lane < kLanes; ++lane)
        x[lane] = t + lane < count ? packed_words(rows[t + lane], i) : Floats{};
      transpose(x);
      for (int64_t step = 0; step < kLanes; ++step) std::memcpy(packed + (i + step) * line + t, &x[step], sizeof x[0]);
    }
    for (; i < last; ++i) {
      for (int64_t lane = 0; lane < kLanes; ++lane) packed[i * line + t + lane] = word(t + lane, i);
    }
  }
}

/// Whether rows of the other operand are read in place; else copy_row() widens or pads them.
template <class T>
inline bool read_in_place(int64_t width) {
  return std::is_same_v<T, Row<T>> && width % kChannels<T> == 0;
}
template <class T>
inline void copy_row(const T* x, int64_t width, Row<T>* to) {
  if constexpr (kPairs<T>) {
    std::memcpy(to, x, static_cast<size_t>(width) * sizeof(T));
    if (width % 2 != 0) to[width] = BFloat16{0};
  } else {
    int64_t i = 0;
    for (; i + kLanes <= width; i += kLanes) store(to + i, load(x + i));
    for (; i < width; ++i) to[i] = float_of(x[i]);
  }
}

#ifdef PARITY_LEVEL_avx512_bf16
[[gnu::always_inline]] inline Floats multiply_add(Words a, Words b, Floats c) {
  return __builtin_bit_cast(Floats, _mm512_dpbf16_ps(__builtin_bit_cast(__m512, c), __builtin_bit_cast(__m512bh, a),
                                                     __builtin_bit_cast(__m512bh, b)));
}
#endif
[[gnu::always_inline]] inline Floats multiply_add(Floats a, Floats b, Floats c) { return a * b + c; }

/// Returns a number in every lane, read from memory; `all` would need an addition.
#ifdef PARITY_LEVEL_avx2
[[gnu::always_inline]] inline Floats spread(float x) { return __builtin_bit_cast(Floats, _mm256_set1_ps(x)); }
#else
[[gnu::always_inline]] inline Floats spread(float x) { return __builtin_bit_cast(Floats, _mm512_set1_ps(x)); }
[[gnu::always_inline]] inline Words spread(uint32_t x) {
  return __builtin_bit_cast(Words, _mm512_set1_epi32(static_cast<int>(x)));
}
#endif

template <class T>
using Lanes = std::conditional_t<kPairs<T>, Words, Floats>;

/// Adds sum[r][v] += rows[r] . token, for `steps` steps of the packed tokens.
template <class T, int V, int R>
[[gnu::always_inline]] inline void add_products(const Packed<T>* packed, const Row<T>* const* rows, int64_t steps,
                                                Floats (&sum)[R][V]) {
  for (int64_t i = 0; i < steps; ++i) {
    Lanes<T> token[V];
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) std::memcpy(&token[v], packed + i * kTokens + v * kLanes, sizeof token[v]);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      Packed<T> both;
      std::memcpy(&both, rows[r] + i * kChannels<T>, sizeof both);
      const Lanes<T> shared = spread(both);
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) sum[r][v] = multiply_add(token[v], shared, sum[r][v]);
    }
  }
}

/// Returns the larger of two numbers as amax does: NaN counts as larger than any number.
inline float amax(float a, float b) { return a != a || b != b ? (a != a ? a : b) : (a > b ? a : b); }

/// Whether any of N vectors, an even number, has a NaN.
template <int N>
[[gnu::always_inline]] inline bool any_nan(const Floats* x) {
#ifdef PARITY_LEVEL_avx2
  __m256 found = _mm256_setzero_ps();
#pragma GCC unroll 16
  for (int i = 0; i < N; i += 2) {
    found = _mm256_or_ps(
        found, _mm256_cmp_ps(__builtin_bit_cast(__m256, x[i]), __builtin_bit_cast(__m256, x[i + 1]), _CMP_UNORD_Q));
  }
  return _mm256_movemask_ps(found) != 0;
#else
  __mmask16 found = 0;
#pragma GCC unroll 16
  for (int i = 0; i < N; i += 2) {
    found |= _mm512_cmp_ps_mask(__builtin_bit_cast(__m512, x[i]), __builtin_bit_cast(__m512, x[i + 1]), _CMP_UNORD_Q);
  }
  return found != 0;
#endif
}

}  // namespace parity::cpu::PARITY_LEVEL
