// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// add, sub, mul and fma of f16 and bf16 by wider native operations, for loops over lanes. The caller holds a
// NearestEnvironment. Results are those of number/arithmetic.hpp without modifiers.
#pragma once

#include "optimized/ptx/number/exact.hpp"
#include "optimized/ptx/number/native.hpp"

namespace parity::ptx::native {

struct F16 {
  static constexpr NumberType kType = NumberType::f16;
  static float widen(uint16_t code) { return f32_of_f16(code); }
  static uint16_t narrow(float x) { return f16_of_f32(x); }
};
struct BF16 {
  static constexpr NumberType kType = NumberType::bf16;
  static float widen(uint16_t code) { return f32_of_bf16(code); }
  static uint16_t narrow(float x) { return bf16_of_f32(x); }
};

// Rounding to f32 first changes nothing: 24 bits are at least 2 * 11 + 2, and what is below f32's normal range is
// either exact in f32 or less than half of the smallest bf16.
template <class Half>
[[nodiscard]] inline uint16_t add_half(uint16_t a, uint16_t b) {
  return Half::narrow(Half::widen(a) + Half::widen(b));
}
template <class Half>
[[nodiscard]] inline uint16_t sub_half(uint16_t a, uint16_t b) {
  return Half::narrow(Half::widen(a) - Half::widen(b));
}
template <class Half>
[[nodiscard]] inline uint16_t mul_half(uint16_t a, uint16_t b) {
  return Half::narrow(Half::widen(a) * Half::widen(b));
}

/// The double product is exact; the sum is made odd where it is not, so that the second rounding sees no false tie.
template <class Half>
[[nodiscard]] inline uint16_t fma_half(uint16_t a, uint16_t b, uint16_t c) {
  const double product = static_cast<double>(Half::widen(a)) * static_cast<double>(Half::widen(b));
  const double addend = Half::widen(c);
  const double sum = product + addend;
  const double other = sum - product;
  const double error = (product - (sum - other)) + (addend - other);
  auto bits = std::bit_cast<uint64_t>(sum);
  if (std::abs(error) > 0.0 && (bits & 1U) == 0) {  // NaN where the sum is not finite
    bits += (error > 0.0) == (sum > 0.0) ? uint64_t{1} : ~uint64_t{0};
  }
  return static_cast<uint16_t>(encode(Half::kType, decode(NumberType::f64, bits), RoundingMode::nearest));
}

}  // namespace parity::ptx::native
