// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which NaN a GPU gives. PTX says little of it; these are the rules of an H100 (ci/gpu/probe). Every NaN that
// arithmetic of f16, bf16 and f32 gives is the canonical one. In f64 a NaN keeps its sign and its fraction.
#pragma once

#include <bit>
#include <concepts>

#include "optimized/ptx/number/types.hpp"

namespace parity::ptx {

/// Of an operation in f64 none of whose operands is a NaN.
inline constexpr uint64_t kMadeNaN = 0xFFF8000000000000;

[[nodiscard]] constexpr bool is_nan(const Encoding& encoding, uint64_t code) {
  return (code & (encoding.sign() - 1)) > encoding.largest + 1;
}
/// f64: a signalling NaN becomes quiet, every other number stays.
[[nodiscard]] constexpr uint64_t quieted(uint64_t code) {
  constexpr uint64_t kInfinite = 0x7FF0000000000000, kQuiet = 0x0008000000000000;
  return (code & ~(uint64_t{1} << 63)) > kInfinite ? code | kQuiet : code;
}

/// `value`, the result of an operation in f64; if it is a NaN, then the last operand that is one, quiet.
template <std::same_as<double>... Operand>
[[nodiscard]] inline double with_nan_of(double value, Operand... operands) {
  uint64_t bits = kMadeNaN;
  ((bits = operands != operands ? quieted(std::bit_cast<uint64_t>(operands)) : bits), ...);
  return value != value ? std::bit_cast<double>(bits) : value;
}

/// A NaN of one encoding in another: its sign, the high bits of its fraction, quiet.
[[nodiscard]] constexpr uint64_t nan_moved(const Encoding& to, const Encoding& from, uint64_t code) {
  const uint64_t fraction = code & ((uint64_t{1} << from.fraction_bits) - 1);
  const int wider = to.fraction_bits - from.fraction_bits;
  const uint64_t moved = wider >= 0 ? fraction << wider : fraction >> -wider;
  const uint64_t quiet = uint64_t{1} << (to.fraction_bits - 1);
  return ((code & from.sign()) != 0 ? to.sign() : 0) | (to.largest + 1) | moved | quiet;
}

}  // namespace parity::ptx
