// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What arithmetic of binary32 has in common: flushing of subnormals, saturation, the lesser and the greater number.
#pragma once

#include <cmath>

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

}  // namespace parity::ptx
