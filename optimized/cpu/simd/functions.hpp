// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Vector versions of exp, the logistic function and erf. NaN stays NaN, and infinities give the limits.
#pragma once

#include "optimized/cpu/simd/vector.hpp"

namespace parity::cpu::PARITY_LEVEL {

/// Returns 2^n v for whole n.
[[gnu::always_inline]] inline Floats scaled_by_power(Floats v, Floats n) {
#ifdef PARITY_LEVEL_avx2
  // Two factors, because 2^n itself may not be a normal number.
  const auto power = [](__m256i e) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(e, _mm256_set1_epi32(127)), 23));
  };
  const __m256i whole = _mm256_cvtps_epi32(__builtin_bit_cast(__m256, n));
  const __m256i half = _mm256_srai_epi32(whole, 1);
  const __m256 first = _mm256_mul_ps(__builtin_bit_cast(__m256, v), power(half));
  return __builtin_bit_cast(Floats, _mm256_mul_ps(first, power(_mm256_sub_epi32(whole, half))));
#else
  return __builtin_bit_cast(Floats, _mm512_scalef_ps(__builtin_bit_cast(__m512, v), __builtin_bit_cast(__m512, n)));
#endif
}

[[gnu::always_inline]] inline Floats nearest_whole(Floats v) {
#ifdef PARITY_LEVEL_avx2
  return __builtin_bit_cast(Floats, _mm256_round_ps(__builtin_bit_cast(__m256, v), _MM_FROUND_TO_NEAREST_INT));
#else
  return __builtin_bit_cast(Floats, _mm512_roundscale_ps(__builtin_bit_cast(__m512, v), _MM_FROUND_TO_NEAREST_INT));
#endif
}

/// Returns exp(x) within 2 ulp: the series to r^7 on [-ln 2 / 2, ln 2 / 2], whose relative error is below 2^-27.
[[gnu::always_inline]] inline Floats exponential(Floats x) {
  constexpr float kLog2E = 1.44269504F, kLn2High = 0.693359375F, kLn2Low = -2.12194440e-4F;
  constexpr float kMost = 89.0F, kLeast = -105.0F;  // beyond these the result is infinity or zero
  x = x > kMost ? all(kMost) : x;
  x = x < kLeast ? all(kLeast) : x;
  const Floats n = nearest_whole(x * kLog2E);
  const Floats r = (x - n * kLn2High) - n * kLn2Low;
  Floats p = r * (1.0F / 5040.0F) + 1.0F / 720.0F;
  p = p * r + 1.0F / 120.0F;
  p = p * r + 1.0F / 24.0F;
  p = p * r + 1.0F / 6.0F;
  p = p * r + 0.5F;
  p = p * r * r + r + 1.0F;
  return scaled_by_power(p, n);
}

/// Returns 1 / x of positive x within about an ulp; dividing sixteen floats would take as long as the rest.
[[gnu::always_inline]] inline Floats reciprocal(Floats x) {
#ifdef PARITY_LEVEL_avx2
  return 1.0F / x;
#else
  const __m512 v = __builtin_bit_cast(__m512, x);
  const __m512 near = _mm512_rcp14_ps(v);
  const __mmask16 improves = _mm512_cmp_ps_mask(v, _mm512_set1_ps(__builtin_inff()), _CMP_NEQ_UQ);
  const __m512 missing = _mm512_fnmadd_ps(v, near, _mm512_set1_ps(1.0F));
  return __builtin_bit_cast(Floats, _mm512_mask3_fmadd_ps(near, missing, near, improves));
#endif
}

/// Returns 1 / (1 + exp(-x)).
[[gnu::always_inline]] inline Floats logistic(Floats x) { return reciprocal(1.0F + exponential(-x)); }

/// Returns erf(x) with an absolute error below 1.5e-7: Abramowitz and Stegun, 7.1.26.
[[gnu::always_inline]] inline Floats error_function(Floats x) {
  const Floats size = x < 0.0F ? -x : x;
  const Floats t = reciprocal(1.0F + 0.3275911F * size);
  Floats p = t * 1.061405429F - 1.453152027F;
  p = p * t + 1.421413741F;
  p = p * t - 0.284496736F;
  p = p * t + 0.254829592F;
  const Floats value = 1.0F - p * t * exponential(-size * size);
  return x < 0.0F ? -value : value;
}

}  // namespace parity::cpu::PARITY_LEVEL
