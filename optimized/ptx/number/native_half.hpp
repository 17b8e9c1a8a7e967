// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// add, sub, mul and fma of f16 and bf16 by wider native operations, for loops over lanes. The caller holds a
// NearestEnvironment. Results are those of number/arithmetic.hpp without modifiers.
#pragma once

#include "optimized/ptx/number/native.hpp"

namespace parity::ptx::native {

struct F16 {
  static float widen(uint16_t code) { return f32_of_f16(code); }
  static uint16_t narrow(float x) { return f16_of_f32(x); }
};
struct BF16 {
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

/// Rounds to f32 such that a second rounding, to fewer bits, gives what a single rounding would (round to odd).
[[nodiscard]] inline float to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto bits = std::bit_cast<uint32_t>(nearest);
  const bool exact = static_cast<double>(nearest) == value || value != value;
  const bool away = std::abs(static_cast<double>(nearest)) > std::abs(value);
  return std::bit_cast<float>(exact ? bits : (away ? bits - 1 : bits) | 1U);
}

/// a b + c of widened halves, to odd in f64: the product is exact.
[[nodiscard]] inline double fused_to_odd(double a, double b, double c) {
  const double product = a * b, sum = product + c;
  const double back = sum - product;
  const double lost = (product - (sum - back)) + (c - back);  // NaN where the sum is not finite
  const auto bits = std::bit_cast<uint64_t>(sum);
  const bool exact = !(std::abs(lost) > 0.0) || (bits & 1U) != 0;
  const bool up = (lost > 0.0) == (sum > 0.0);
  return exact ? sum : std::bit_cast<double>(up ? bits + 1 : bits - 1);
}

template <class Half>
[[nodiscard]] inline uint16_t fma_half(uint16_t a, uint16_t b, uint16_t c) {
  return Half::narrow(to_odd(fused_to_odd(Half::widen(a), Half::widen(b), Half::widen(c))));
}

}  // namespace parity::ptx::native
