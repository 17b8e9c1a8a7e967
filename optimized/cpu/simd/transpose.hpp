// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Transposes a square of words in registers: as many rows as a register has words.
#pragma once

#include "optimized/cpu/simd/vector.hpp"

namespace parity::cpu::PARITY_LEVEL {

/// Exchanges lane i of x[j] with lane j of x[i]: first pairs, then fours, then quarters of a register.
[[gnu::always_inline]] inline void transpose(Floats (&x)[kLanes]) {
  Floats y[kLanes];
#ifdef PARITY_LEVEL_avx2
#pragma GCC unroll 4
  for (int i = 0; i < kLanes; i += 2) {
    y[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
    y[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < kLanes; i += 4) {
    x[i] = _mm256_shuffle_ps(y[i], y[i + 2], 0x44);
    x[i + 1] = _mm256_shuffle_ps(y[i], y[i + 2], 0xEE);
    x[i + 2] = _mm256_shuffle_ps(y[i + 1], y[i + 3], 0x44);
    x[i + 3] = _mm256_shuffle_ps(y[i + 1], y[i + 3], 0xEE);
  }
#pragma GCC unroll 4
  for (int c = 0; c < 4; ++c) {
    y[c] = _mm256_permute2f128_ps(x[c], x[4 + c], 0x20);
    y[4 + c] = _mm256_permute2f128_ps(x[c], x[4 + c], 0x31);
  }
#else
#pragma GCC unroll 8
  for (int i = 0; i < kLanes; i += 2) {
    y[i] = _mm512_unpacklo_ps(x[i], x[i + 1]);
    y[i + 1] = _mm512_unpackhi_ps(x[i], x[i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < kLanes; i += 4) {
    x[i] = _mm512_shuffle_ps(y[i], y[i + 2], 0x44);
    x[i + 1] = _mm512_shuffle_ps(y[i], y[i + 2], 0xEE);
    x[i + 2] = _mm512_shuffle_ps(y[i + 1], y[i + 3], 0x44);
    x[i + 3] = _mm512_shuffle_ps(y[i + 1], y[i + 3], 0xEE);
  }
#pragma GCC unroll 4
  for (int c = 0; c < 4; ++c) {
    const Floats even = _mm512_shuffle_f32x4(x[c], x[4 + c], 0x88), odd = _mm512_shuffle_f32x4(x[c], x[4 + c], 0xDD);
    const Floats more = _mm512_shuffle_f32x4(x[8 + c], x[12 + c], 0x88),
                 rest = _mm512_shuffle_f32x4(x[8 + c], x[12 + c], 0xDD);
    y[c] = _mm512_shuffle_f32x4(even, more, 0x88);
    y[4 + c] = _mm512_shuffle_f32x4(odd, rest, 0x88);
    y[8 + c] = _mm512_shuffle_f32x4(even, more, 0xDD);
    y[12 + c] = _mm512_shuffle_f32x4(odd, rest, 0xDD);
  }
#endif
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i) x[i] = y[i];
}

}  // namespace parity::cpu::PARITY_LEVEL
