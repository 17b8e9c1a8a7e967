// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The 32-bit words of attention's operands: a float, or a pair of BF16 if the level has BF16 dot products. Sums run
// over words; one word is one step. Also the vector functions of a softmax.
#pragma once

#include "optimized/cpu/simd/vector.hpp"

namespace parity::cpu::PARITY_LEVEL {

/// Returns the word at x in all lanes, whatever its bits mean.
[[gnu::always_inline]] inline Floats broadcast(const float* x) {
#ifdef PARITY_LEVEL_avx2
  return _mm256_broadcast_ss(x);
#else
  return _mm512_set1_ps(*x);
#endif
}

/// Returns unit * 2^f for f in [0, 1), exactly `unit` for 0, with minimal relative error.
template <bool half>
[[gnu::always_inline]] inline Floats power_below_one(Floats f, float unit) {
  if constexpr (half) {  // error below 3e-6: the result is rounded to BF16
    Floats p = all(unit * 0x1.b7f736p-7F);
    p = p * f + unit * 0x1.abf866p-5F;
    p = p * f + unit * 0x1.ee2452p-3F;
    p = p * f + unit * 0x1.62d6c6p-1F;
    return p * f + unit;
  } else {  // error below 2e-7
    Floats p = all(unit * 0x1.e974fep-10F);
    p = p * f + unit * 0x1.277854p-7F;
    p = p * f + unit * 0x1.c91ce6p-5F;
    p = p * f + unit * 0x1.ebdb56p-3F;
    p = p * f + unit * 0x1.62e4bap-1F;
    return p * f + unit;
  }
}

/// Returns unit * 2^x, far from overflow: exactly `unit` for 0, 0 for -infinity, NaN for NaN. `unit` is a power of two.
template <bool half = false>
[[gnu::always_inline]] inline Floats power_of_two(Floats x, float unit = 1.0F) {
#ifdef PARITY_LEVEL_avx2
  x = larger(all(-240.0F), x);  // keeps NaN, which is the second operand
  const Floats whole = _mm256_round_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  const Floats p = power_below_one<half>(x - whole, unit);
  const __m256i n = _mm256_cvtps_epi32(whole);
  const __m256i first = _mm256_srai_epi32(n, 1);  // two factors, so that small results may be subnormal
  const __m256i bias = _mm256_set1_epi32(127);
  const Floats root = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(first, bias), 23));
  return p * root * _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(_mm256_sub_epi32(n, first), bias), 23));
#else
  const Floats f = _mm512_reduce_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);  // 0 for -infinity
  return _mm512_scalef_ps(power_below_one<half>(f, unit), x);  // times 2 to the power of x rounded down
#endif
}

/// Returns x in the lanes whose bit is set, y elsewhere.
[[gnu::always_inline]] inline Floats chosen(uint16_t lanes, Floats x, Floats y) {
#ifdef PARITY_LEVEL_avx2
  const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i set = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(lanes), bit), bit);
  return _mm256_blendv_ps(y, x, _mm256_castsi256_ps(set));
#else
  return _mm512_mask_mov_ps(y, lanes, x);
#endif
}

/// Operations on words that are floats.
struct Singles {
  static constexpr int kPerWord = 1;
  static constexpr int kStepsTogether = 1;  // operands are padded to a multiple of this
  static constexpr float kUnit = 1.0F;      // the weight of a score equal to the reference
  [[gnu::always_inline]] static Floats multiply_add(Floats a, Floats b, Floats sum) { return a * b + sum; }
  /// Returns kUnit * 2^(factor * (score - reference)), which is exactly kUnit for the reference.
  [[gnu::always_inline]] static Floats power(Floats score, Floats reference, Floats, Floats factor) {
    return power_of_two((score - reference) * factor);
  }
  /// Returns the word of weights for the weights of its slots.
  [[gnu::always_inline]] static Floats weights(const Floats* slots) { return slots[0]; }
  [[gnu::always_inline]] static Floats weight(Floats word, int /*slot*/) { return word; }
  [[gnu::always_inline]] static Floats add_weights(Floats word, Floats sum) { return sum + word; }
};

#ifdef PARITY_LEVEL_avx512_bf16
/// Operations on words that are two BF16, the first in the low half.
struct Pairs {
  static constexpr int kPerWord = 2;
#ifdef PARITY_LEVEL_amx_bf16
  static constexpr int kStepsTogether = 16;  // the words of a tile's row
#else
  static constexpr int kStepsTogether = 1;
#endif
  static constexpr float kUnit =
      0x1p24F;  // keeps weights and sums normal, since the dot products take subnormal numbers for zero
  [[gnu::always_inline]] static Floats multiply_add(Floats a, Floats b, Floats sum) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
  }
  /// Returns the weight as Singles::power does, before it is rounded to BF16; `scaled` is factor * reference, rounded.
  [[gnu::always_inline]] static Floats power(Floats score, Floats, Floats scaled, Floats factor) {
    return power_of_two<true>(score * factor - scaled, kUnit);
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

/// Returns the number of words of `count` elements, including those of the padding.
template <class Kind>
[[gnu::always_inline]] inline int64_t steps_of(int64_t count) {
  constexpr int64_t kTogether = Kind::kPerWord * Kind::kStepsTogether;
  return (count + kTogether - 1) / kTogether * Kind::kStepsTogether;
}

}  // namespace parity::cpu::PARITY_LEVEL
