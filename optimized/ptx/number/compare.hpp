// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Comparisons, minimum, maximum, sign: on codes, in integers.
#pragma once

#include "optimized/ptx/number/exact.hpp"

namespace parity::ptx {

/// PTX ISA 9.3.1.2. Those that end in u are true where an operand is NaN.
enum class Comparison : uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

/// min and max, 9.7.3.11, 9.7.4.7. `propagate_nan`: .NaN; `xorsign`: .xorsign.abs; `absolute`: .abs alone (three
/// operands).
struct ExtremeMode {
  bool ftz = false, propagate_nan = false, absolute = false, xorsign = false;
};

[[nodiscard]] constexpr bool code_is_nan(const Encoding& encoding, uint64_t code) {
  return (code & (encoding.sign() - 1)) > encoding.largest + (encoding.infinity ? 1 : 0);
}

/// Codes in the order of their numbers, -0 below +0; not for NaN.
[[nodiscard]] constexpr int64_t order_of(const Encoding& encoding, uint64_t code) {
  const auto magnitude = static_cast<int64_t>(code & (encoding.sign() - 1));
  return (code & encoding.sign()) != 0 ? -magnitude - 1 : magnitude;
}

/// setp.CmpOp{.ftz}.type, 9.7.6.2 and 9.7.7.2: of f16, bf16, f32, f64.
[[nodiscard]] constexpr bool compare(NumberType type, Comparison op, uint64_t a, uint64_t b, bool ftz = false) {
  const Encoding& e = encoding_of(type);
  if (ftz) {
    a = flush(e, a);
    b = flush(e, b);
  }
  const bool unordered = code_is_nan(e, a) || code_is_nan(e, b);
  if (op == Comparison::num || op == Comparison::nan) return unordered == (op == Comparison::nan);
  if (unordered) return op >= Comparison::equ;
  const bool zeros = ((a | b) & (e.sign() - 1)) == 0;
  const int64_t left = zeros ? 0 : order_of(e, a);
  const int64_t right = zeros ? 0 : order_of(e, b);
  switch (static_cast<Comparison>(static_cast<unsigned>(op) % 6U)) {
    case Comparison::eq:
      return left == right;
    case Comparison::ne:
      return left != right;
    case Comparison::lt:
      return left < right;
    case Comparison::le:
      return left <= right;
    case Comparison::gt:
      return left > right;
    default:
      return left >= right;
  }
}

/// The smaller (`greater` false) or larger of two numbers; +0 is above -0. One NaN gives the other operand, two give
/// NaN.
[[nodiscard]] constexpr uint64_t extreme(NumberType type, bool greater, uint64_t a, uint64_t b,
                                         const ExtremeMode& mode) {
  const Encoding& e = encoding_of(type);
  const uint64_t sign = (a ^ b) & e.sign();
  if (mode.absolute || mode.xorsign) {
    a &= ~e.sign();
    b &= ~e.sign();
  }
  if (mode.ftz) {
    a = flush(e, a);
    b = flush(e, b);
  }
  const bool first = code_is_nan(e, a);
  const bool second = code_is_nan(e, b);
  if ((first && second) || (mode.propagate_nan && (first || second))) return e.nan;
  const bool takes_a = second || (!first && (order_of(e, a) < order_of(e, b)) != greater);
  const uint64_t taken = takes_a ? a : b;
  return mode.xorsign ? (taken & ~e.sign()) | sign : taken;
}

[[nodiscard]] constexpr uint64_t min(NumberType type, uint64_t a, uint64_t b, const ExtremeMode& mode = {}) {
  return extreme(type, false, a, b, mode);
}
[[nodiscard]] constexpr uint64_t max(NumberType type, uint64_t a, uint64_t b, const ExtremeMode& mode = {}) {
  return extreme(type, true, a, b, mode);
}
/// Three operands (sm_100): the extreme of the first two, with the third.
[[nodiscard]] constexpr uint64_t extreme(NumberType type, bool greater, uint64_t a, uint64_t b, uint64_t c,
                                         const ExtremeMode& mode) {
  return extreme(type, greater, extreme(type, greater, a, b, mode), c, mode);
}

/// 9.7.3.9, 9.7.3.10, 9.7.4.5, 9.7.4.6. NaN of f64 keeps its payload; of the others the ISA leaves it open, and it does
/// too.
[[nodiscard]] constexpr uint64_t negate(NumberType type, uint64_t a, bool ftz = false) {
  const Encoding& e = encoding_of(type);
  return (ftz ? flush(e, a) : a) ^ e.sign();
}
[[nodiscard]] constexpr uint64_t absolute(NumberType type, uint64_t a, bool ftz = false) {
  const Encoding& e = encoding_of(type);
  return (ftz ? flush(e, a) : a) & ~e.sign();
}

}  // namespace parity::ptx
