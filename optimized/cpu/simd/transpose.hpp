// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Sixteen rows of sixteen words, turned in registers.
#pragma once

#include "optimized/cpu/simd/vector.hpp"

#ifndef PARITY_LEVEL_avx2
namespace parity::cpu::PARITY_LEVEL {

/// Row i of the result holds word i of every row.
[[gnu::always_inline]] inline void transpose(__m512i (&rows)[16]) {
  __m512i pairs[16], fours[16], eights[16];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    pairs[2 * i] = _mm512_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
    pairs[2 * i + 1] = _mm512_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      fours[4 * i + 2 * j] = _mm512_unpacklo_epi64(pairs[4 * i + j], pairs[4 * i + j + 2]);
      fours[4 * i + 2 * j + 1] = _mm512_unpackhi_epi64(pairs[4 * i + j], pairs[4 * i + j + 2]);
    }
  }
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {  // columns j, j + 4, j + 8 and j + 12 of rows 4 i to 4 i + 3 lie in fours[4 i + j]
    eights[j] = _mm512_shuffle_i32x4(fours[j], fours[4 + j], 0x88);
    eights[4 + j] = _mm512_shuffle_i32x4(fours[j], fours[4 + j], 0xdd);
    eights[8 + j] = _mm512_shuffle_i32x4(fours[8 + j], fours[12 + j], 0x88);
    eights[12 + j] = _mm512_shuffle_i32x4(fours[8 + j], fours[12 + j], 0xdd);
  }
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    rows[j] = _mm512_shuffle_i32x4(eights[j], eights[8 + j], 0x88);
    rows[8 + j] = _mm512_shuffle_i32x4(eights[j], eights[8 + j], 0xdd);
    rows[4 + j] = _mm512_shuffle_i32x4(eights[4 + j], eights[12 + j], 0x88);
    rows[12 + j] = _mm512_shuffle_i32x4(eights[4 + j], eights[12 + j], 0xdd);
  }
}

}  // namespace parity::cpu::PARITY_LEVEL
#endif
