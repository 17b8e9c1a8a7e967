// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What arithmetic of binary32 has in common: flushing of subnormals, saturation, one NaN.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace parity::ptx {

/// .ftz: a subnormal is a zero of its sign.
inline float flushed(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return std::bit_cast<float>((bits & 0x7F800000U) == 0 ? bits & 0x80000000U : bits);
}

/// Results of f32 arithmetic that are NaN are this one. Source: PTX ISA 9.0, section 9.7.3.
inline float canonical(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return std::bit_cast<float>((bits & 0x7FFFFFFFU) > 0x7F800000U ? 0x7FFFFFFFU : bits);
}

/// .sat: to [0, 1]; a NaN is +0.
inline float saturated(float value) { return value > 0.0F ? (value < 1.0F ? value : 1.0F) : 0.0F; }

/// The number if one is a NaN; -0 is below +0. Source: PTX ISA 9.0, sections 9.7.3.11 and 9.7.3.12.
template <class X>
X least(X a, X b) {
  const X both = a < b ? a : b < a ? b : std::signbit(a) ? a : b;
  return a != a ? b : b != b ? a : both;  // NOLINT(misc-redundant-expression)
}
template <class X>
X greatest(X a, X b) {
  const X both = a > b ? a : b > a ? b : std::signbit(a) ? b : a;
  return a != a ? b : b != b ? a : both;  // NOLINT(misc-redundant-expression)
}

}  // namespace parity::ptx
