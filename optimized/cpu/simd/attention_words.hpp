// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a 32-bit word of attention's operands holds: a float, or where the level has BF16 dot products a pair of BF16. Sums go
// over words: one word is one step. Beside it what a softmax needs of vectors.
#pragma once

#include "optimized/cpu/simd/vector.hpp"

namespace parity::cpu::PARITY_LEVEL {

[[gnu::always_inline]] inline float float_of(float x) { return x; }
[[gnu::always_inline]] inline float float_of(BFloat16 x) {
  const uint32_t wide = static_cast<uint32_t>(x.bits) << 16U;
  float result;
  std::memcpy(&result, &wide, sizeof result);
  return result;
}

/// All lanes the word at x, whatever its bits mean.
[[gnu::always_inline]] inline Floats broadcast(const float* x) {
#ifdef PARITY_LEVEL_avx2
  return _mm256_broadcast_ss(x);
#else
  return _mm512_set1_ps(*x);
#endif
}

/// The larger of each lane; b where a is NaN.
[[gnu::always_inline]] inline Floats larger(Floats a, Floats b) {
#ifdef PARITY_LEVEL_avx2
  return _mm256_max_ps(a, b);
#else
  return _mm512_max_ps(a, b);
#endif
}

/// unit * 2^x for x <= 0, within 2e-7 of it: exactly `unit` for 0, 0 for -infinity, NaN for NaN. `unit` is a power of two.
[[gnu::always_inline]] inline Floats power_of_two(Floats x, float unit = 1.0F) {
  x = larger(all(-240.0F), x);  // the second operand where that is NaN
#ifdef PARITY_LEVEL_avx2
  const Floats whole = _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
  const Floats whole = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#endif
  const Floats f = x - whole;
  Floats p = all(unit * 0x1.5bba12p-10F);  // of least relative error on [-1/2, 1/2] that is 1 at 0
  p = p * f + unit * 0x1.3cea88p-7F;
  p = p * f + unit * 0x1.c6b752p-5F;
  p = p * f + unit * 0x1.ebf9bcp-3F;
  p = p * f + unit * 0x1.62e42ap-1F;
  p = p * f + unit;
#ifdef PARITY_LEVEL_avx2
  const __m256i n = _mm256_cvtps_epi32(whole);
  const __m256i half = _mm256_srai_epi32(n, 1);  // in two factors, so that small results may be subnormal
  const __m256i bias = _mm256_set1_epi32(127);
  const Floats first = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(half, bias), 23));
  const Floats second = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(_mm256_sub_epi32(n, half), bias), 23));
  return p * first * second;
#else
  return _mm512_scalef_ps(p, whole);
#endif
}

/// x in the lanes whose bit is set, y elsewhere.
[[gnu::always_inline]] inline Floats chosen(uint16_t lanes, Floats x, Floats y) {
#ifdef PARITY_LEVEL_avx2
  const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i set = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(lanes), bit), bit);
  return _mm256_blendv_ps(y, x, _mm256_castsi256_ps(set));
#else
  return _mm512_mask_mov_ps(y, lanes, x);
#endif
}

/// A word is a float.
struct Singles {
  static constexpr int kPerWord = 1;
  static constexpr float kUnit = 1.0F;  // weight of the largest score
  [[gnu::always_inline]] static Floats multiply_add(Floats a, Floats b, Floats sum) { return a * b + sum; }
  /// Weights of `step`, from those of its slots.
  [[gnu::always_inline]] static Floats weights(const Floats* slots) { return slots[0]; }
  [[gnu::always_inline]] static Floats weight(Floats word, int /*slot*/) { return word; }
  [[gnu::always_inline]] static Floats add_weights(Floats word, Floats sum) { return sum + word; }
};

#ifdef PARITY_LEVEL_avx512_bf16
/// A word is two BF16, the first in the low half.
struct Pairs {
  static constexpr int kPerWord = 2;
  static constexpr float kUnit =
      0x1p24F;  // the dot products take subnormal numbers for zero: no weight or mixture is one
  [[gnu::always_inline]] static Floats multiply_add(Floats a, Floats b, Floats sum) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
  }
  [[gnu::always_inline]] static Floats weights(const Floats* slots) {
    const __m512i halves = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(slots[1], slots[0]));
    const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6,
                                           21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    return _mm512_castsi512_ps(_mm512_permutexvar_epi16(order, halves));
  }
  [[gnu::always_inline]] static Floats weight(Floats word, int slot) {
    const __m512i bits = _mm512_castps_si512(word);
    return _mm512_castsi512_ps(slot == 0 ? _mm512_slli_epi32(bits, 16)
                                         : _mm512_and_si512(bits, _mm512_set1_epi32(static_cast<int>(0xffff0000U))));
  }
  [[gnu::always_inline]] static Floats add_weights(Floats word, Floats sum) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(word),
                            reinterpret_cast<__m512bh>(_mm512_set1_epi32(0x3f803f80)));  // ones
  }
};
#endif

template <class T>
struct WordsOf {
  using Kind = Singles;
};
#ifdef PARITY_LEVEL_avx512_bf16
template <>
struct WordsOf<BFloat16> {
  using Kind = Pairs;
};
#endif

/// Steps of `count` elements.
template <class Kind>
[[gnu::always_inline]] inline int64_t steps_of(int64_t count) {
  return (count + Kind::kPerWord - 1) / Kind::kPerWord;
}

}  // namespace parity::cpu::PARITY_LEVEL
