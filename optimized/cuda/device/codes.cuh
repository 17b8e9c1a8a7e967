// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// 8-bit codes and scales of quantised matrices, as numbers of binary32.
#pragma once

#include <cstdint>

namespace parity::optimized::cuda {

/// The number of an e4m3 code: exponent and fraction are shifted to binary32's places, which leaves a factor of 2^120, the
/// difference of the biases. Codes below the normal ones become subnormal numbers on the way: exact, too.
__device__ inline float number_of_code(uint32_t code) {
  constexpr uint32_t kNan = 0x7F;
  const uint32_t magnitude = code & kNan;
  const float number = __uint_as_float(magnitude << 20U) * 0x1p120F;
  const uint32_t bits = magnitude == kNan ? 0x7FC00000U : __float_as_uint(number);
  return __uint_as_float(bits | (code & 0x80U) << 24U);
}

/// 2^(e - 127); 255 is infinite, 2^-127 no normal number.
__device__ inline float power_of(uint32_t e) { return __uint_as_float(e == 0 ? 0x400000U : e << 23U); }

}  // namespace parity::optimized::cuda
