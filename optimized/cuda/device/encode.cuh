// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// e4m3 codes of numbers, by integers: the conversion instruction exists from sm_89 on only.
#pragma once

#include <cstdint>

namespace parity::optimized::cuda {

/// The code nearest to x, ties to even, at most 448. Below the normal codes 2^14 is added: binary32 is spaced 2^-9
/// there, as codes are, so that the sum rounds as a code does.
__device__ inline uint32_t code_of_number(float x) {
  constexpr uint32_t kInfinity = 0x7F800000U, kNan = 0x7F, kMost = 0x7E, kMostBits = 0x43E00000U;
  constexpr uint32_t kLeastNormal = 0x3C800000U, kBias = (127 - 7) << 3, kSpacing = 0x46800000U;
  const uint32_t bits = __float_as_uint(x), magnitude = bits & 0x7FFFFFFFU, sign = bits >> 24U & 0x80U;
  const uint32_t small = __float_as_uint(__fadd_rn(__uint_as_float(magnitude), __uint_as_float(kSpacing))) - kSpacing;
  const uint32_t normal = ((magnitude + 0x7FFFFU + (magnitude >> 20U & 1U)) >> 20U) - kBias;
  const uint32_t code = magnitude < kLeastNormal ? small : magnitude >= kMostBits ? kMost : normal;
  return magnitude > kInfinity ? kNan : sign | code;
}

}  // namespace parity::optimized::cuda
