// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The vectors of one level. Only files of this folder include this one, so that a * b + c is contracted to a fused
// multiply-add.
#pragma once

#include <cstdint>
#include <cstring>

#include <immintrin.h>

#include "core/dtype.hpp"

namespace parity::cpu::PARITY_LEVEL {

#ifdef PARITY_LEVEL_avx2
inline constexpr int kLanes = 8;
#else
inline constexpr int kLanes = 16;
#endif

using Floats = float __attribute__((vector_size(4 * kLanes)));
using Words = uint32_t __attribute__((vector_size(4 * kLanes)));

[[gnu::always_inline]] inline Floats all(float x) { return Floats{} + x; }

[[gnu::always_inline]] inline float float_of(float x) { return x; }
[[gnu::always_inline]] inline float float_of(BFloat16 x) {
  return __builtin_bit_cast(float, static_cast<uint32_t>(x.bits) << 16U);
}

[[gnu::always_inline]] inline Floats load(const float* x) {
  Floats v;
  std::memcpy(&v, x, sizeof v);
  return v;
}
// Converts between 16 and 32 bits with intrinsics, because g++ 12 splits registers for __builtin_convertvector.
[[gnu::always_inline]] inline Floats load(const BFloat16* x) {
#ifdef PARITY_LEVEL_avx2
  __m128i h;
  std::memcpy(&h, x, sizeof h);
  return __builtin_bit_cast(Floats, _mm256_slli_epi32(_mm256_cvtepu16_epi32(h), 16));
#else
  __m256i h;
  std::memcpy(&h, x, sizeof h);
  return __builtin_bit_cast(Floats, _mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16));
#endif
}

[[gnu::always_inline]] inline void store(float* x, Floats v) { std::memcpy(x, &v, sizeof v); }
/// Rounds to nearest, ties to even, and stores; NaN stays NaN.
[[gnu::always_inline]] inline void store(BFloat16* x, Floats v) {
  const Words bits = __builtin_bit_cast(Words, v);
  const Words nearest = bits + (((bits >> 16U) & 1U) + 0x7fffU);
  const Words kept = v == v ? nearest : bits | 0x400000U;  // the result is in its upper halves
#ifdef PARITY_LEVEL_avx2
  const __m256i upper = _mm256_srli_epi32(__builtin_bit_cast(__m256i, kept), 16);
  const __m256i halves = _mm256_permute4x64_epi64(_mm256_packus_epi32(upper, upper), 0x08);
  const __m128i h = _mm256_castsi256_si128(halves);
#else
  const __m256i h = _mm512_cvtepi32_epi16(_mm512_srli_epi32(__builtin_bit_cast(__m512i, kept), 16));
#endif
  std::memcpy(x, &h, sizeof h);
}

/// Returns the first `count` < kLanes elements, and zeros after them.
template <class T>
[[gnu::always_inline]] inline Floats load_some(const T* x, int64_t count) {
  T padded[kLanes] = {};
  std::memcpy(padded, x, static_cast<size_t>(count) * sizeof(T));
  return load(padded);
}
template <class T>
[[gnu::always_inline]] inline void store_some(T* x, Floats v, int64_t count) {
  T padded[kLanes];
  store(padded, v);
  std::memcpy(x, padded, static_cast<size_t>(count) * sizeof(T));
}

[[gnu::always_inline]] inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/// Returns the larger number in each lane; if one of the two is NaN, returns b.
[[gnu::always_inline]] inline Floats larger(Floats a, Floats b) {
#ifdef PARITY_LEVEL_avx2
  return _mm256_max_ps(a, b);
#else
  return _mm512_max_ps(a, b);
#endif
}

/// Returns the sum of the lanes, by halves, so that it is the same at every level for sums kept in 16 lanes.
[[gnu::always_inline]] inline float sum(Floats v) {
  float lanes[kLanes];
  store(lanes, v);
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  }
  return lanes[0];
}

}  // namespace parity::cpu::PARITY_LEVEL
