// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// ue8m0: the scale 2^(code - 127), code 255 is NaN; no sign, no zero, no infinity. PTX ISA 5.2.3.
#pragma once

#include "optimized/ptx/number/exact.hpp"

namespace parity::ptx {

[[nodiscard]] inline Exact decode_scale(uint64_t code) {
  if ((code & 0xFFU) == 0xFFU) return {Exact::Kind::nan, false, 0, 0};
  return exact_of(false, 1, static_cast<int>(code & 0xFFU) - 127);
}

/// |x| rounded to a power of two, towards zero or up; what is below 2^-127 becomes 2^-127. Infinity and what is above
/// 2^127 become NaN, or 2^127 if `finite`. As the conversions of CUDA's cuda_fp8.hpp for hosts.
[[nodiscard]] inline uint64_t encode_scale(const Exact& x, RoundingMode mode, bool finite) {
  if (x.is_nan()) return 0xFF;
  const uint64_t above = finite ? 0xFE : 0xFF;
  if (x.kind == Exact::Kind::infinity) return above;
  const int exponent = x.exponent + 63;
  if (x.is_zero() || exponent < -127) return 0;
  const bool grows = mode == RoundingMode::up && x.significand != uint64_t{1} << 63;
  const int code = exponent + 127 + (grows ? 1 : 0);
  return code > 254 ? above : static_cast<uint64_t>(code);
}

}  // namespace parity::ptx
