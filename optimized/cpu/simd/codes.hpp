// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Decodes e4m3 codes through BF16, which represents all of them. Normal numbers are shifted into place; the eight
// smallest magnitudes and NaN are read from a table.
#pragma once

#include "optimized/cpu/simd/pairs.hpp"

namespace parity::cpu::PARITY_LEVEL {

#ifdef PARITY_LEVEL_avx2
/// Returns kTwo codes as BF16, in order.
[[gnu::always_inline]] inline Words decoded(const uint8_t* x) {
  const __m256i codes = _mm256_cvtepu8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x)));
  const __m256i magnitude = _mm256_and_si256(codes, _mm256_set1_epi16(0x7f));
  const __m256i normal = _mm256_add_epi16(_mm256_slli_epi16(magnitude, 4), _mm256_set1_epi16((127 - 7) << 7));
  // Bytes of k 2^-9 for k < 8; the last entry is NaN, for code 0x7f.
  const __m256i low = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 0, char(0x80), char(0xc0), 0, 0x20, 0x40, 0x60, 0, 0, 0, 0, 0, 0, 0, char(0xc0)));
  const __m256i high = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 0x3b, 0x3b, 0x3b, 0x3c, 0x3c, 0x3c, 0x3c, 0, 0, 0, 0, 0, 0, 0, 0x7f));
  const __m256i listed =
      _mm256_or_si256(_mm256_shuffle_epi8(low, magnitude), _mm256_slli_epi16(_mm256_shuffle_epi8(high, magnitude), 8));
  const __m256i middle = _mm256_abs_epi16(_mm256_sub_epi16(magnitude, _mm256_set1_epi16(0x43)));
  const __m256i bits = _mm256_blendv_epi8(normal, listed, _mm256_cmpgt_epi16(middle, _mm256_set1_epi16(0x3b)));
  const __m256i sign = _mm256_and_si256(_mm256_slli_epi16(codes, 8), _mm256_set1_epi16(short(0x8000)));
  return __builtin_bit_cast(Words, _mm256_or_si256(bits, sign));
}
/// Returns BF16 in order as binary32 in order.
[[gnu::always_inline]] inline Two in_order(Words pairs) {
  const auto half = [](__m128i h) {
    return __builtin_bit_cast(Floats, _mm256_slli_epi32(_mm256_cvtepu16_epi32(h), 16));
  };
  const auto all = __builtin_bit_cast(__m256i, pairs);
  return {half(_mm256_castsi256_si128(all)), half(_mm256_extracti128_si256(all, 1))};
}
[[gnu::always_inline]] inline Words load_bytes(const uint8_t* x) {
  return __builtin_bit_cast(Words, _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x))));
}
#else
/// Returns kTwo codes as BF16, in order.
[[gnu::always_inline]] inline Words decoded(const uint8_t* x) {
  const __m512i codes = _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)));
  const __m512i magnitude = _mm512_and_si512(codes, _mm512_set1_epi16(0x7f));
  const __m512i above = _mm512_sub_epi16(magnitude, _mm512_set1_epi16(8));  // the smallest normal code
  // k 2^-9 for k < 8; the last of the 32 entries is NaN, for code 0x7f.
  const __m512i table =
      _mm512_setr_epi32(0x3b000000, 0x3bc03b80, 0x3c203c00, 0x3c603c40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x7fc00000);
  __m512i bits = _mm512_add_epi16(_mm512_slli_epi16(above, 4), _mm512_set1_epi16(((127 - 7) << 7) + (8 << 4)));
  bits = _mm512_mask_permutexvar_epi16(bits, _mm512_cmpge_epu16_mask(above, _mm512_set1_epi16(0x77)), magnitude, table);
  constexpr int kSecondWhereThird = 0xd8;  // third ? second : first
  return __builtin_bit_cast(Words, _mm512_ternarylogic_epi32(bits, _mm512_slli_epi16(codes, 8),
                                                             _mm512_set1_epi16(short(0x8000)), kSecondWhereThird));
}
/// Returns BF16 in order as binary32 in order.
[[gnu::always_inline]] inline Two in_order(Words pairs) {
  const auto half = [](__m256i h) {
    return __builtin_bit_cast(Floats, _mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16));
  };
  const auto all = __builtin_bit_cast(__m512i, pairs);
  return {half(_mm512_castsi512_si256(all)), half(_mm512_extracti64x4_epi64(all, 1))};
}
[[gnu::always_inline]] inline Words load_bytes(const uint8_t* x) {
  return __builtin_bit_cast(Words, _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x))));
}
#endif

/// Returns the low and the high halves of words, which is the order of load_two.
[[gnu::always_inline]] inline Two by_halves(Words pairs) {
  return {__builtin_bit_cast(Floats, pairs << 16U), __builtin_bit_cast(Floats, pairs & 0xffff0000U)};
}

/// Returns 2^(e - 127) for kLanes exponents; 255 gives infinity, 0 the subnormal number 2^-127.
[[gnu::always_inline]] inline Floats powers(const uint8_t* x) {
  constexpr uint32_t kSmallest = 0x400000U;
  const Words e = load_bytes(x);
  return __builtin_bit_cast(Floats, e == 0U ? Words{} + kSmallest : e << 23U);
}
[[gnu::always_inline]] inline float power_of(uint8_t e) {
  const uint32_t bits = e == 0 ? 0x400000U : static_cast<uint32_t>(e) << 23U;
  return __builtin_bit_cast(float, bits);
}

}  // namespace parity::cpu::PARITY_LEVEL
