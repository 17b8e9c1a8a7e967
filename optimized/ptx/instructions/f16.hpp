// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Halves and bfloats as they are computed with here: in binary32 or binary64, rounded to nearest even once.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace parity::ptx {

inline float from_bf16(uint16_t value) { return std::bit_cast<float>(uint32_t{value} << 16U); }

/// A NaN becomes 0x7FFF, as cvt does. Source: PTX ISA 9.0, section 9.7.9.21.
inline uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7FFFU + (bits >> 16U & 1U)) >> 16U;
  return static_cast<uint16_t>((bits & 0x7FFFFFFFU) > 0x7F800000U ? 0x7FFFU : rounded);
}

inline float from_f16(uint16_t value) {
  const uint32_t sign = uint32_t{value & 0x8000U} << 16U, rest = value & 0x7FFFU;
  // The exponent's bias is 15 instead of 127: a product with 2^112 makes up for it, subnormals included.
  const float scaled = std::bit_cast<float>(rest << 13U) * std::bit_cast<float>(0x77800000U);
  const uint32_t special = (rest << 13U) | 0x7F800000U;
  return std::bit_cast<float>((rest >= 0x7C00U ? special : std::bit_cast<uint32_t>(scaled)) | sign);
}

inline uint16_t to_f16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16U & 0x8000U, magnitude = bits & 0x7FFFFFFFU;
  const uint32_t normal = (magnitude - 0x38000000U + 0xFFFU + (magnitude >> 13U & 1U)) >> 13U;
  // Below 2^-14: a sum with 0.5 leaves the multiple of 2^-24 in the low bits.
  const uint32_t small = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3F000000U;
  uint32_t result = magnitude < 0x38800000U ? small : normal;
  result = magnitude >= 0x477FF000U ? 0x7C00U : result;  // 65520 and above round to infinity
  result = magnitude > 0x7F800000U ? 0x7FFFU : result;
  return static_cast<uint16_t>(magnitude > 0x7F800000U ? result : result | sign);
}

/// To binary32 so that a second rounding, to fewer bits, is as if it were the only one (round to odd).
inline float to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  auto bits = std::bit_cast<uint32_t>(nearest);
  const bool exact = static_cast<double>(nearest) == value || std::isnan(value);
  const bool away = std::fabs(static_cast<double>(nearest)) > std::fabs(value);
  const uint32_t odd = (away ? bits - 1 : bits) | 1U;
  bits = exact ? bits : odd;
  return std::bit_cast<float>(bits);
}

/// a b + c of narrow numbers, to odd in binary64: the product is exact.
inline double fused(double a, double b, double c) {
  const double product = a * b, sum = product + c;
  const double back = sum - product;
  const double lost = (product - (sum - back)) + (c - back);
  auto bits = std::bit_cast<uint64_t>(sum);
  const bool exact = !(lost != 0.0) || (bits & 1U) != 0 || !std::isfinite(sum);
  const bool up = (lost > 0.0) == (sum > 0.0);
  return exact ? sum : std::bit_cast<double>(up ? bits + 1 : bits - 1);
}

}  // namespace parity::ptx
