// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A number before its one rounding. Numbers of every type are decoded to it, and every result is rounded from it, in
// integer arithmetic. So neither the rounding mode nor the flush of subnormals of this processor can affect the result.
#pragma once

#include <bit>

#include "optimized/ptx/number/types.hpp"

namespace parity::ptx {

/// (-1)^negative * significand * 2^exponent, bit 63 of the significand set. The lowest bit of a result stands for
/// itself and for everything below it that is not zero, which decides ties and directed rounding as the exact value
/// does.
struct Exact {
  enum class Kind : uint8_t { zero, finite, infinity, nan };
  Kind kind = Kind::zero;
  bool negative = false;
  int exponent = 0;
  uint64_t significand = 0;

  [[nodiscard]] bool is_nan() const { return kind == Kind::nan; }
  [[nodiscard]] bool is_zero() const { return kind == Kind::zero; }
};

/// magnitude * 2^exponent with this sign.
[[nodiscard]] constexpr Exact exact_of(bool negative, uint64_t magnitude, int exponent) {
  if (magnitude == 0) return {Exact::Kind::zero, negative, 0, 0};
  const int shift = std::countl_zero(magnitude);
  return {Exact::Kind::finite, negative, exponent - shift, magnitude << shift};
}

/// The value of a code of `encoding`; the code's unused low bits are ignored, as tensor cores ignore those of tf32.
[[nodiscard]] constexpr Exact decode(const Encoding& encoding, uint64_t code) {
  code >>= encoding.unused;
  const bool negative = (code & encoding.sign()) != 0;
  code &= encoding.sign() - 1;
  if (code > encoding.largest) {
    const bool infinite = encoding.infinity && code == encoding.largest + 1;
    return {infinite ? Exact::Kind::infinity : Exact::Kind::nan, negative, 0, 0};
  }
  const uint64_t hidden = uint64_t{1} << encoding.fraction_bits;
  const int field = static_cast<int>(code >> encoding.fraction_bits);
  const uint64_t fraction = code & (hidden - 1);
  const int lowest = 1 - encoding.bias() - encoding.fraction_bits;
  if (field == 0) return exact_of(negative, fraction, lowest);
  return exact_of(negative, fraction | hidden, lowest + field - 1);
}

[[nodiscard]] constexpr Exact decode(NumberType type, uint64_t code) { return decode(encoding_of(type), code); }

/// Whether `kept` grows by one unit when what is dropped is `half` (a half or more) plus `below` (not zero below it).
[[nodiscard]] constexpr bool rounds_up(RoundingMode mode, bool negative, bool odd, bool half, bool below) {
  switch (mode) {
    case RoundingMode::nearest:
      return half && (below || odd);
    case RoundingMode::away:
      return half;
    case RoundingMode::zero:
      return false;
    case RoundingMode::down:
      return negative && (half || below);
    case RoundingMode::up:
      return !negative && (half || below);
  }
  return false;
}

/// significand / 2^shift, rounded to an integer; shift >= 1.
[[nodiscard]] constexpr uint64_t shift_rounded(uint64_t significand, int shift, RoundingMode mode, bool negative) {
  const uint64_t kept = shift >= 64 ? 0 : significand >> shift;
  const bool half = shift <= 64 && ((significand >> (shift - 1)) & 1U) != 0;
  const bool below = shift > 64 ? significand != 0 : (significand & ((uint64_t{1} << (shift - 1)) - 1)) != 0;
  return kept + (rounds_up(mode, negative, (kept & 1U) != 0, half, below) ? 1 : 0);
}

/// The code of a result whose magnitude is beyond the largest finite number. PTX ISA 9.7.9.21 for `finite`
/// (.satfinite).
[[nodiscard]] constexpr uint64_t overflow_code(const Encoding& encoding, RoundingMode mode, bool negative,
                                               bool finite) {
  const bool stays =
      mode == RoundingMode::zero || (mode == RoundingMode::up && negative) || (mode == RoundingMode::down && !negative);
  if (finite || stays) return encoding.largest;
  return encoding.infinity ? encoding.largest + 1 : encoding.nan;
}

/// x rounded once to `encoding`; NaN becomes the canonical one. `finite`: what is beyond the largest number, infinity
/// included, becomes the largest number.
[[nodiscard]] constexpr uint64_t encode(const Encoding& encoding, const Exact& x, RoundingMode mode,
                                        bool finite = false) {
  const uint64_t sign = x.negative ? encoding.sign() : 0;
  if (x.kind == Exact::Kind::nan) return encoding.nan << encoding.unused;
  if (x.kind == Exact::Kind::zero) return sign << encoding.unused;
  const int smallest = 1 - encoding.bias();
  const int top = x.exponent + 63;
  const int lowest = (top > smallest ? top : smallest) - encoding.fraction_bits;
  uint64_t code = 0;
  if (x.kind == Exact::Kind::infinity) {
    code = encoding.infinity && !finite ? encoding.largest + 1
                                        : overflow_code(encoding, RoundingMode::nearest, false, finite);
  } else if (top > encoding.bias() + 1) {
    code = overflow_code(encoding, mode, x.negative, finite);
  } else {
    code = shift_rounded(x.significand, lowest - x.exponent, mode, x.negative);
    if (top > smallest) code += static_cast<uint64_t>(top - smallest) << encoding.fraction_bits;
    if (code > encoding.largest) code = overflow_code(encoding, mode, x.negative, finite);
  }
  return (code | sign) << encoding.unused;
}

[[nodiscard]] constexpr uint64_t encode(NumberType type, const Exact& x, RoundingMode mode, bool finite = false) {
  return encode(encoding_of(type), x, mode, finite);
}

/// Subnormal codes become zero of their sign (.ftz).
[[nodiscard]] constexpr uint64_t flush(const Encoding& encoding, uint64_t code) {
  const uint64_t magnitude = code & (encoding.sign() - 1);
  return (magnitude >> encoding.fraction_bits) == 0 ? code & encoding.sign() : code;
}

}  // namespace parity::ptx
