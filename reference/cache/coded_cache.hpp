// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the two directions of an FP8 cache share: the scales of the heads, and the e4m3 code of a number.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/tensor.hpp"

namespace parity::reference {

/// The scales of `heads` heads. Throws Error{schema} for another number of them, or one that cannot divide.
inline Span<double, 1> scales_of_heads(const TensorView& scale, int64_t heads) {
  const auto scales = scale.as<double, 1>();                                                                      // (G)
  PARITY_CHECK(scales.extent[0] == heads, schema, "{} scales for {} key heads; give each head one", scales.extent[0],
               heads);
  for (int64_t g = 0; g < heads; ++g) {
    PARITY_CHECK(scales(g) > 0.0 && std::isfinite(scales(g)), schema,
                 "the scale of head {} is {}; a scale is positive and finite", g, scales(g));
  }
  return scales;
}

/// The number of e4m3 nearest to x, ties to even; at most 448, and NaN for NaN.
inline double code_of(double x) {
  const double most = format_of(DType::e4m3fn).largest;
  return std::isnan(x) ? x : round_to(DType::e4m3fn, std::clamp(x, -most, most));
}
/// Codes are in the order of numbers. So no number of the interval has a code farther away than those of its ends.
inline Bounded code_of(const Bounded& x) {
  const double code = code_of(x.value), error = x.error();
  if (error == 0.0) return {code};
  return {code, 0.0, std::max(code - code_of(x.value - error), code_of(x.value + error) - code)};
}

}  // namespace parity::reference
