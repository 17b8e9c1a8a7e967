// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// cvt: one number of one type to another. PTX ISA 9.7.9.21.
#pragma once

#include "optimized/ptx/number/types.hpp"

namespace parity::ptx {

/// A decoded cvt, checked once by check_conversion.
struct Conversion {
  NumberType to = NumberType::f32, from = NumberType::f32;
  RoundingMode rounding = RoundingMode::nearest;
  bool integral = false;  // .rni, .rzi, .rmi, .rpi between floating-point types: the result is an integer's value
  bool ftz = false, sat = false, satfinite = false, relu = false;
};

/// Throws Error{unsupported}, which says what to write instead, for a cvt that the ISA does not have.
void check_conversion(const Conversion& how);

/// `code` of how.from as a code of how.to. Signed results are sign-extended to 64 bits, all others zero-extended;
/// higher bits of `code` than the type has are ignored. NaN to an integer: 0, or 2^(width-1) where f64, s64 or u64
/// takes part.
[[nodiscard]] uint64_t convert(const Conversion& how, uint64_t code);

/// Packed pair of how.to: `high` and `low` are codes of how.from. e2m1x2 has 8 bits, fp8, fp6 and ue8m0 pairs 16, f16x2
/// 32.
[[nodiscard]] uint64_t convert_pair(const Conversion& how, uint64_t high, uint64_t low);
/// Converts a packed pair of how.from to one of how.to: cvt.rn.f16x2.e4m3x2, cvt.rn.satfinite.e4m3x2.f16x2.
[[nodiscard]] uint64_t convert_packed(const Conversion& how, uint64_t pair);

}  // namespace parity::ptx
