// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/number/convert.hpp"

#include "optimized/ptx/number/arithmetic.hpp"
#include "optimized/ptx/number/nan.hpp"
#include "optimized/ptx/number/scale.hpp"

namespace parity::ptx {
namespace {

uint64_t low_bits(uint64_t x, int bits) { return bits == 64 ? x : x & ((uint64_t{1} << bits) - 1); }

/// The low `bits` of x, sign-extended if `is_signed`.
uint64_t extended(uint64_t x, int bits, bool is_signed) {
  const uint64_t low = low_bits(x, bits);
  const uint64_t sign = uint64_t{1} << (bits - 1);
  return is_signed && (low & sign) != 0 ? low | ~(sign - 1) : low;
}

/// An integer as sign and magnitude.
struct Signed {
  bool negative;
  uint64_t magnitude;
};

Signed signed_of(NumberType type, uint64_t code) {
  const uint64_t x = extended(code, integer_bits(type), is_signed(type));
  const bool negative = is_signed(type) && (x >> 63) != 0;
  return {negative, negative ? 0 - x : x};
}

/// Clamped to the range of an integer type.
uint64_t clamped(NumberType type, Signed x) {
  const int bits = integer_bits(type);
  if (!is_signed(type))
    return x.negative ? 0 : x.magnitude > low_bits(~uint64_t{0}, bits) ? low_bits(~uint64_t{0}, bits) : x.magnitude;
  const uint64_t limit = (uint64_t{1} << (bits - 1)) - (x.negative ? 0 : 1);
  const uint64_t magnitude = x.magnitude > limit ? limit : x.magnitude;
  return x.negative ? 0 - magnitude : magnitude;
}

uint64_t integer_of(const Conversion& how, const Exact& x) {
  const int bits = integer_bits(how.to);
  if (x.is_nan()) {
    const bool zero = how.from != NumberType::f64 && bits < 64;
    return zero ? 0 : extended(uint64_t{1} << (bits - 1), bits, is_signed(how.to));
  }
  if (x.is_zero()) return 0;
  if (x.kind == Exact::Kind::infinity || x.exponent > 0) return clamped(how.to, {x.negative, ~uint64_t{0}});
  const int shift = -x.exponent;
  return clamped(
      how.to, {x.negative, shift == 0 ? x.significand : shift_rounded(x.significand, shift, how.rounding, x.negative)});
}

/// The integer nearest to x in the rounding's direction, as a number.
Exact integral_part(const Exact& x, RoundingMode mode) {
  if (x.kind != Exact::Kind::finite || x.exponent >= 0) return x;
  return exact_of(x.negative, shift_rounded(x.significand, -x.exponent, mode, x.negative), 0);
}

Exact source_of(const Conversion& how, uint64_t code) {
  if (is_integer(how.from)) {
    const Signed x = signed_of(how.from, code);
    return exact_of(x.negative, x.magnitude, 0);
  }
  if (how.from == NumberType::ue8m0) return decode_scale(code);
  const Encoding& encoding = encoding_of(how.from);
  code = low_bits(code, encoding.bits() + encoding.unused);
  return decode(encoding, how.ftz && how.from == NumberType::f32 ? flush(encoding, code) : code);
}

uint64_t float_of(const Conversion& how, const Exact& x) {
  if (how.to == NumberType::ue8m0) return encode_scale(x, how.rounding, how.satfinite);
  const Encoding& encoding = encoding_of(how.to);
  uint64_t code = encode(encoding, how.integral ? integral_part(x, how.rounding) : x, how.rounding, how.satfinite);
  if (how.ftz && how.to == NumberType::f32) code = flush(encoding, code);
  if (how.sat) return saturate(encoding, code);
  return how.relu && x.negative && !x.is_nan() ? 0 : code;
}

/// Of a NaN, where the conversion does not give the canonical one, as an H100 does it: f64 keeps sign and fraction; bf16
/// to f32 without .ftz is a shift; .rna to tf32 cuts bits off, and .satfinite then goes down by one.
bool keeps_nan(const Conversion& how, uint64_t code, uint64_t& result) {
  using Type = NumberType;
  if (is_integer(how.from) || is_integer(how.to) || how.from > Type::f64 || how.sat) return false;
  const Encoding& from = encoding_of(how.from);
  if (!is_nan(from, code)) return false;
  if (how.to == Type::f32 && how.from == Type::bf16 && !how.ftz) {
    result = low_bits(code, 16) << 16;
  } else if (how.to == Type::f64 || (how.from == Type::f64 && how.to < Type::f64)) {
    result = nan_moved(encoding_of(how.to), from, code);
  } else if (how.to == Type::tf32 && how.rounding == RoundingMode::away) {
    constexpr uint64_t kUnit = 0x2000;  // of tf32 in 32 bits
    result = low_bits(code, 32) / kUnit * kUnit - (how.satfinite ? kUnit : 0);
  } else {
    return false;
  }
  return true;
}

}  // namespace

uint64_t convert(const Conversion& how, uint64_t code) {
  if (uint64_t kept = 0; keeps_nan(how, code, kept)) return kept;
  if (!is_integer(how.to)) return float_of(how, source_of(how, code));
  if (!is_integer(how.from)) return integer_of(how, source_of(how, code));
  const Signed x = signed_of(how.from, code);
  if (how.sat) return clamped(how.to, x);
  return extended(x.negative ? 0 - x.magnitude : x.magnitude, integer_bits(how.to), is_signed(how.to));
}

uint64_t convert_pair(const Conversion& how, uint64_t high, uint64_t low) {
  return convert(how, high) << stored_bits(how.to) | convert(how, low);
}

uint64_t convert_packed(const Conversion& how, uint64_t pair) {
  const int bits = stored_bits(how.from);
  return convert_pair(how, low_bits(pair >> bits, bits), low_bits(pair, bits));
}

}  // namespace parity::ptx
