// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Finds the sixteen largest of many numbers without NaN, in registers of sixteen. At least sixteen numbers reach a
// bound that leaves few candidates; sorting registers finds the sixteenth of these. Ties go to the smaller id.
#pragma once

#include "optimized/cpu/simd/vector.hpp"

#ifndef PARITY_LEVEL_avx2

namespace parity::cpu::PARITY_LEVEL {

/// Returns one stage of a sorting network: the lanes in `high` get the larger of themselves and their partner.
[[gnu::always_inline]] inline __m512 exchanged(__m512 v, __m512 partner, __mmask16 high) {
  return _mm512_mask_max_ps(_mm512_min_ps(v, partner), high, v, partner);
}
template <int kOrder>
[[gnu::always_inline]] inline __m512 in_fours(__m512 v) {
  return _mm512_permute_ps(v, kOrder);
}
template <int kOrder>
[[gnu::always_inline]] inline __m512 fours(__m512 v) {
  return _mm512_shuffle_f32x4(v, v, kOrder);
}
constexpr int kSwapOnes = 0xB1, kSwapTwos = 0x4E;  // lanes 1 0 3 2; lanes 2 3 0 1

/// Returns a bitonic sequence in descending order.
[[gnu::always_inline]] inline __m512 merged(__m512 v) {
  v = exchanged(v, fours<kSwapTwos>(v), 0x00FF);
  v = exchanged(v, fours<kSwapOnes>(v), 0x0F0F);
  v = exchanged(v, in_fours<kSwapTwos>(v), 0x3333);
  return exchanged(v, in_fours<kSwapOnes>(v), 0x5555);
}
/// Returns the sixteen numbers in descending order.
[[gnu::always_inline]] inline __m512 sorted(__m512 v) {
  v = exchanged(v, in_fours<kSwapOnes>(v), 0x9999);
  v = exchanged(v, in_fours<kSwapTwos>(v), 0xC3C3);
  v = exchanged(v, in_fours<kSwapOnes>(v), 0xA5A5);
  v = exchanged(v, fours<kSwapOnes>(v), 0xF00F);
  v = exchanged(v, in_fours<kSwapTwos>(v), 0xCC33);
  v = exchanged(v, in_fours<kSwapOnes>(v), 0xAA55);
  return merged(v);
}
[[gnu::always_inline]] inline __m512 reversed(__m512 v) {
  return _mm512_permutexvar_ps(_mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), v);
}
/// Returns the sixteen larger of two descending registers, in no order.
[[gnu::always_inline]] inline __m512 upper(__m512 a, __m512 b) { return _mm512_max_ps(a, reversed(b)); }

/// Returns the sixteenth largest number of `vectors` >= 1 registers.
inline float sixteenth(const float* x, int64_t vectors) {
  __m512 top = sorted(_mm512_loadu_ps(x));
  for (int64_t v = 1; v < vectors; ++v) {
    top = upper(top, sorted(_mm512_loadu_ps(x + 16 * v)));
    if (v + 1 < vectors) top = merged(top);
  }
  return _mm512_reduce_min_ps(top);
}

/// Returns a bound that at least sixteen numbers reach: the sixteenth largest maximum of kGroups * 16 columns.
template <int kGroups>
float bound_of(const float* x, int64_t vectors) {
  alignas(64) float maxima[kGroups * 16];
  for (int64_t g = 0; g < kGroups; ++g) {
    __m512 most = _mm512_loadu_ps(x + 16 * g);
    for (int64_t v = g + kGroups; v < vectors; v += kGroups) most = _mm512_max_ps(most, _mm512_loadu_ps(x + 16 * v));
    _mm512_store_ps(maxima + 16 * g, most);
  }
  return sixteenth(maxima, kGroups);
}
inline float bound_of(const float* x, int64_t vectors) {
  if (vectors < 4) return -__builtin_inff();  // all are candidates
  return vectors <= 16 ? bound_of<2>(x, vectors) : bound_of<4>(x, vectors);
}

/// Appends the lanes `keep` of `x` and their ids after `count` others, writing a whole register. Returns the count.
[[gnu::always_inline]] inline int64_t append(__m512 x, __m512i id, __mmask16 keep, float* values, int32_t* ids,
                                             int64_t count) {
  _mm512_storeu_ps(values + count, _mm512_maskz_compress_ps(keep, x));
  _mm512_storeu_si512(ids + count, _mm512_maskz_compress_epi32(keep, id));
  return count + __builtin_popcount(keep);
}

/// Copies the numbers >= `bound` in order, and fills the last register with -inf. Returns the number of registers.
inline int64_t candidates_of(const float* x, int64_t vectors, float bound, float* values, int32_t* ids) {
  const __m512 least = _mm512_set1_ps(bound);
  __m512i id = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  int64_t count = 0;
  for (int64_t v = 0; v < vectors; ++v) {
    const __m512 each = _mm512_loadu_ps(x + 16 * v);
    count = append(each, id, _mm512_cmp_ps_mask(each, least, _CMP_GE_OQ), values, ids, count);
    id = _mm512_add_epi32(id, _mm512_set1_epi32(16));
  }
  _mm512_storeu_ps(values + count, _mm512_set1_ps(-__builtin_inff()));
  return (count + 15) / 16;
}

/// Keeps the sixteen largest candidates: first those above the sixteenth, then those that equal it, each in the order
/// of ids.
inline void keep_sixteen(float* values, int32_t* ids, int64_t vectors) {
  if (vectors == 1) return;
  const __m512 least = _mm512_set1_ps(sixteenth(values, vectors));
  alignas(64) float kept[48];
  alignas(64) int32_t kept_ids[48];
  int64_t count = 0;
  for (int64_t v = 0; v < vectors; ++v) {
    const __m512 each = _mm512_loadu_ps(values + 16 * v);
    count = append(each, _mm512_loadu_si512(ids + 16 * v), _mm512_cmp_ps_mask(each, least, _CMP_GT_OQ), kept, kept_ids,
                   count);
  }
  for (int64_t v = 0; v < vectors && count < 16; ++v) {
    const __m512 each = _mm512_loadu_ps(values + 16 * v);
    count = append(each, _mm512_loadu_si512(ids + 16 * v), _mm512_cmp_ps_mask(each, least, _CMP_EQ_OQ), kept, kept_ids,
                   count);
  }
  _mm512_storeu_ps(values, _mm512_load_ps(kept));
  _mm512_storeu_si512(ids, _mm512_load_si512(kept_ids));
}

/// Writes the ids in descending order of their values, the earlier one at ties; -1 for a value of -inf.
inline void write_ranked(const float* values, const int32_t* ids, int64_t* out) {
  const __m512 all = _mm512_loadu_ps(values);
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    const __m512 one = _mm512_set1_ps(values[i]);
    const auto above = static_cast<unsigned>(_mm512_cmp_ps_mask(all, one, _CMP_GT_OQ));
    const auto same = static_cast<unsigned>(_mm512_cmp_ps_mask(all, one, _CMP_EQ_OQ)) & ((1U << i) - 1U);
    out[__builtin_popcount(above) + __builtin_popcount(same)] = values[i] == -__builtin_inff() ? -1 : ids[i];
  }
}

}  // namespace parity::cpu::PARITY_LEVEL

#endif
