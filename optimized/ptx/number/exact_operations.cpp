// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/number/exact_operations.hpp"

namespace parity::ptx {
namespace {

__extension__ using Wide = unsigned __int128;  // g++ and clang have it on every 64-bit machine

constexpr Exact kExactNaN{Exact::Kind::nan, false, 0, 0};

int leading_zeros(Wide x) {
  const auto high = static_cast<uint64_t>(x >> 64);
  return high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<uint64_t>(x));
}

/// magnitude * 2^exponent in 64 bits, the lowest standing for what does not fit.
Exact narrowed(bool negative, Wide magnitude, int exponent) {
  const int shift = leading_zeros(magnitude);
  magnitude <<= shift;
  const auto low = static_cast<uint64_t>(magnitude);
  const uint64_t significand = static_cast<uint64_t>(magnitude >> 64) | (low != 0 ? 1U : 0U);
  return {Exact::Kind::finite, negative, exponent - shift + 64, significand};
}

/// x / 2^shift; the lowest bit stands for what is lost.
Wide shifted(Wide x, int shift) {
  if (shift == 0) return x;
  if (shift >= 128) return x != 0 ? 1 : 0;
  const Wide kept = x >> shift;
  return kept << shift == x ? kept : kept | 1;
}

/// A finite number with 126 bits of room: 64 bits are not enough for a sum with an exact product.
struct Term {
  bool negative;
  Wide magnitude;  // bit 125 is the highest: one bit is left for a carry
  int exponent;
};

Term term_of(const Exact& x) { return {x.negative, Wide{x.significand} << 62, x.exponent - 62}; }

Term product_term(const Exact& a, const Exact& b) {
  const Wide product = Wide{a.significand} * b.significand;  // the highest is bit 126 or 127; the low 22 are zero
  const int shift = 2 - leading_zeros(product);
  return {a.negative != b.negative, product >> shift, a.exponent + b.exponent + shift};
}

Exact sum_of_terms(Term a, Term b, RoundingMode mode) {
  if (a.exponent < b.exponent) std::swap(a, b);
  b.magnitude = shifted(b.magnitude, a.exponent - b.exponent);
  if (a.negative == b.negative) return narrowed(a.negative, a.magnitude + b.magnitude, a.exponent);
  if (a.magnitude == b.magnitude) return {Exact::Kind::zero, mode == RoundingMode::down, 0, 0};
  const bool larger = a.magnitude > b.magnitude;
  return narrowed(larger ? a.negative : b.negative, larger ? a.magnitude - b.magnitude : b.magnitude - a.magnitude,
                  a.exponent);
}

/// Sums in which one side is not finite, or zero.
Exact special_sum(const Exact& a, const Exact& b, RoundingMode mode) {
  using Kind = Exact::Kind;
  if (a.is_nan() || b.is_nan()) return kExactNaN;
  if (a.kind == Kind::infinity && b.kind == Kind::infinity && a.negative != b.negative) return kExactNaN;
  if (a.kind == Kind::infinity) return a;
  if (b.kind == Kind::infinity) return b;
  if (!a.is_zero()) return a;
  if (!b.is_zero()) return b;
  return {Kind::zero, a.negative == b.negative ? a.negative : mode == RoundingMode::down, 0, 0};
}

bool both_finite(const Exact& a, const Exact& b) {
  return a.kind == Exact::Kind::finite && b.kind == Exact::Kind::finite;
}

}  // namespace

Exact exact_sum(const Exact& a, const Exact& b, RoundingMode mode) {
  if (!both_finite(a, b)) return special_sum(a, b, mode);
  return sum_of_terms(term_of(a), term_of(b), mode);
}

Exact exact_product(const Exact& a, const Exact& b) {
  using Kind = Exact::Kind;
  const bool negative = a.negative != b.negative;
  if (both_finite(a, b)) return narrowed(negative, Wide{a.significand} * b.significand, a.exponent + b.exponent);
  if (a.is_nan() || b.is_nan()) return kExactNaN;
  const bool infinite = a.kind == Kind::infinity || b.kind == Kind::infinity;
  if (infinite && (a.is_zero() || b.is_zero())) return kExactNaN;
  return {infinite ? Kind::infinity : Kind::zero, negative, 0, 0};
}

Exact exact_fma(const Exact& a, const Exact& b, const Exact& c, RoundingMode mode) {
  if (both_finite(a, b) && c.kind == Exact::Kind::finite) {
    return sum_of_terms(product_term(a, b), term_of(c), mode);
  }
  return special_sum(exact_product(a, b), c, mode);
}

Exact exact_quotient(const Exact& a, const Exact& b) {
  using Kind = Exact::Kind;
  const bool negative = a.negative != b.negative;
  if (a.is_nan() || b.is_nan() || (a.kind == b.kind && a.kind != Kind::finite)) return kExactNaN;
  if (a.is_zero() || b.kind == Kind::infinity) return {Kind::zero, negative, 0, 0};
  if (b.is_zero() || a.kind == Kind::infinity) return {Kind::infinity, negative, 0, 0};
  const Wide dividend = Wide{a.significand} << 63;
  const Wide quotient = dividend / b.significand;  // at least 2^62: more bits than any type has
  const bool exact = quotient * b.significand == dividend;
  return narrowed(negative, (quotient << 1) | (exact ? 0 : 1), a.exponent - b.exponent - 64);
}

Exact exact_root(const Exact& a) {
  if (a.is_nan() || (a.negative && !a.is_zero())) return kExactNaN;
  if (a.kind != Exact::Kind::finite) return a;
  const bool odd = (a.exponent & 1) != 0;
  const Wide radicand = Wide{a.significand} << (odd ? 63 : 62);  // times 2^-even
  const int exponent = (a.exponent - (odd ? 63 : 62)) / 2;
  uint64_t root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const uint64_t tried = root | (uint64_t{1} << bit);
    if (Wide{tried} * tried <= radicand) root = tried;
  }
  const bool exact = Wide{root} * root == radicand;
  return narrowed(false, (Wide{root} << 1) | (exact ? 0 : 1), exponent - 1);
}

}  // namespace parity::ptx
