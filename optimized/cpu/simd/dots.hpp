// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Dot products of a few rows with many others, each read once. Channels lie in lanes, which are added at the end.
#pragma once

#include "optimized/cpu/simd/tile.hpp"

namespace parity::cpu::PARITY_LEVEL {

inline constexpr int kFew = 4;               // rows at a time
inline constexpr int kMany = kLanes / kFew;  // other rows at a time, one sum per lane; more for a single row

/// The number of channels that one multiplication of registers takes.
template <class T>
inline constexpr int kStride = kChannels<T>* kLanes;

template <class T>
[[gnu::always_inline]] inline Lanes<T> channels(const T* x) {
  if constexpr (kPairs<T>) {
    Words v;
    std::memcpy(&v, x, sizeof v);
    return v;
  } else {
    return load(x);
  }
}
/// Returns the first `count` channels, and zeros after them.
template <class T>
[[gnu::always_inline]] inline Lanes<T> some_channels(const T* x, int64_t count) {
  T padded[kStride<T>] = {};
  std::memcpy(padded, x, static_cast<size_t>(count) * sizeof(T));
  return channels(padded);
}

#ifdef PARITY_LEVEL_avx2
/// Returns in lane i the sum of the lanes of x[i].
[[gnu::always_inline]] inline Floats sums(const Floats (&x)[kLanes]) {
  __m256 four[2];
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    const auto at = [&](int k) { return __builtin_bit_cast(__m256, x[4 * i + k]); };
    const __m256 a = _mm256_add_ps(_mm256_unpacklo_ps(at(0), at(1)), _mm256_unpackhi_ps(at(0), at(1)));
    const __m256 b = _mm256_add_ps(_mm256_unpacklo_ps(at(2), at(3)), _mm256_unpackhi_ps(at(2), at(3)));
    four[i] = _mm256_add_ps(_mm256_shuffle_ps(a, b, 0x44), _mm256_shuffle_ps(a, b, 0xEE));
  }
  return __builtin_bit_cast(Floats, _mm256_add_ps(_mm256_permute2f128_ps(four[0], four[1], 0x20),
                                                  _mm256_permute2f128_ps(four[0], four[1], 0x31)));
}
#else
[[gnu::always_inline]] inline Floats sums(const Floats (&x)[kLanes]) {
  __m512 four[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const auto at = [&](int k) { return __builtin_bit_cast(__m512, x[4 * i + k]); };
    const __m512 a = _mm512_add_ps(_mm512_unpacklo_ps(at(0), at(1)), _mm512_unpackhi_ps(at(0), at(1)));
    const __m512 b = _mm512_add_ps(_mm512_unpacklo_ps(at(2), at(3)), _mm512_unpackhi_ps(at(2), at(3)));
    four[i] = _mm512_add_ps(_mm512_shuffle_ps(a, b, 0x44), _mm512_shuffle_ps(a, b, 0xEE));
  }
  const __m512 low =
      _mm512_add_ps(_mm512_shuffle_f32x4(four[0], four[1], 0x88), _mm512_shuffle_f32x4(four[0], four[1], 0xDD));
  const __m512 high =
      _mm512_add_ps(_mm512_shuffle_f32x4(four[2], four[3], 0x88), _mm512_shuffle_f32x4(four[2], four[3], 0xDD));
  return __builtin_bit_cast(
      Floats, _mm512_add_ps(_mm512_shuffle_f32x4(low, high, 0x88), _mm512_shuffle_f32x4(low, high, 0xDD)));
}
#endif

/// Returns in lane R m + r the dot product of row r and other m, for R rows and kLanes / R others.
template <class T, int R, int M>
[[gnu::always_inline]] inline Floats dots(const T* const (&rows)[R], const T* const (&others)[M], int64_t width) {
  static_assert(R * M == kLanes);
  constexpr int64_t kAhead = 4096;  // bytes by which the next rows are prefetched
  Floats sum[kLanes] = {};
  int64_t i = 0;
  for (; i + kStride<T> <= width; i += kStride<T>) {
    Lanes<T> other[M];
#pragma GCC unroll 16
    for (int m = 0; m < M; ++m) {
      _mm_prefetch(reinterpret_cast<const char*>(others[m] + i) + kAhead, _MM_HINT_T0);
      other[m] = channels(others[m] + i);
    }
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const Lanes<T> row = channels(rows[r] + i);
#pragma GCC unroll 16
      for (int m = 0; m < M; ++m) sum[R * m + r] = multiply_add(row, other[m], sum[R * m + r]);
    }
  }
  if (i < width) {
#pragma GCC unroll 16
    for (int m = 0; m < M; ++m) {
      const Lanes<T> other = some_channels(others[m] + i, width - i);
#pragma GCC unroll 16
      for (int r = 0; r < R; ++r)
        sum[R * m + r] = multiply_add(some_channels(rows[r] + i, width - i), other, sum[R * m + r]);
    }
  }
  return sums(sum);
}

}  // namespace parity::cpu::PARITY_LEVEL
