// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What arithmetic of binary32 and binary64 has in common: flushing of subnormals, saturation, the lesser and the greater
// number, sums.
#pragma once

#include <cmath>

#include "optimized/ptx/number/nan.hpp"
#include "optimized/ptx/number/native.hpp"

namespace parity::ptx {

using native::flushed;
using native::saturated;

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

[[nodiscard]] inline float sum_of(float a, float b) { return native::add(a, b); }
[[nodiscard]] inline double sum_of(double a, double b) { return with_nan_of(a + b, a, b); }
/// Sums that a GPU makes in global memory, not in a thread: f32 flushes subnormals, a NaN of f64 stays as it is.
[[nodiscard]] inline float sum_in_global(float a, float b) { return native::add<true>(a, b); }
[[nodiscard]] inline double sum_in_global(double a, double b) { return b != b ? b : a != a ? a : sum_of(a, b); }

}  // namespace parity::ptx
