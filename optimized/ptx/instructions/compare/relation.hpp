// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What setp and set have in common: comparisons of registers of every type, and the predicate that a result is joined
// with.
#pragma once

#include <utility>

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/instructions/lanes.hpp"
#include "optimized/ptx/instructions/real.hpp"
#include "optimized/ptx/number/native_half.hpp"

namespace parity::ptx::comparing {

enum Relation : uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan_, relations };
inline constexpr std::make_index_sequence<relations> kEvery;

template <Relation r, class X>
bool holds(X a, X b) {
  const bool unordered = a != a || b != b;  // NOLINT(misc-redundant-expression): a NaN
  switch (r) {
    case eq:
      return a == b;
    case ne:
      return !unordered && a != b;
    case lt:
      return a < b;
    case le:
      return a <= b;
    case gt:
      return a > b;
    case ge:
      return a >= b;
    case equ:
      return unordered || a == b;
    case neu:
      return a != b;
    case ltu:
      return unordered || a < b;
    case leu:
      return unordered || a <= b;
    case gtu:
      return unordered || a > b;
    case geu:
      return unordered || a >= b;
    case num:
      return !unordered;
    default:
      return unordered;
  }
}

/// How a register's value is compared: as it is, flushed, or as the number that a half stands for.
struct Plain {
  template <class X>
  static X of(X value) {
    return value;
  }
};
struct Flushed {
  static float of(float value) { return flushed(value); }
};
struct FlushedHalf {
  static float of(uint16_t value) {
    return native::f32_of_f16((value & 0x7C00U) == 0 ? static_cast<uint16_t>(value & 0x8000U) : value);
  }
};
struct Half {
  static float of(uint16_t value) { return native::f32_of_f16(value); }
};
struct Bfloat {
  static float of(uint16_t value) { return native::f32_of_bf16(value); }
};

/// Lanes in which it holds of the registers a and b; of packed halves, of the ones `by` bits up.
template <class X, class Read, Relation r>
Mask compared(const Warp& warp, const Step& step) {
  const X *a = warp.at<X>(step.a), *b = warp.at<X>(step.b);
  Mask result = 0;
  PARITY_LANES result |= Mask{holds<r>(Read::of(a[l]), Read::of(b[l]))} << l;
  return result;
}
template <class Read, Relation r, uint32_t by>
Mask compared_half(const Warp& warp, const Step& step) {
  const auto *a = warp.at<uint32_t>(step.a), *b = warp.at<uint32_t>(step.b);
  Mask result = 0;
  PARITY_LANES result |=
      Mask{holds<r>(Read::of(static_cast<uint16_t>(a[l] >> by)), Read::of(static_cast<uint16_t>(b[l] >> by)))} << l;
  return result;
}

/// f.template operator()<X, Read>() of what a register of the type is compared as; null if it is not.
template <class F>
Handler of_type(Type type, bool ftz, F f) {
  switch (type) {
    case Type::f32:
      return ftz ? f.template operator()<float, Flushed>() : f.template operator()<float, Plain>();
    case Type::f64:
      return f.template operator()<double, Plain>();
    case Type::f16:
      return ftz ? f.template operator()<uint16_t, FlushedHalf>() : f.template operator()<uint16_t, Half>();
    case Type::bf16:
      return f.template operator()<uint16_t, Bfloat>();
    default:
      return of_integers(type, [&]<class X>() -> Handler { return f.template operator()<X, Plain>(); });
  }
}
/// f.template operator()<Read>() of packed halves.
template <class F>
Handler of_pair(Type type, bool ftz, F f) {
  if (type == Type::bf16x2) return f.template operator()<Bfloat>();
  return ftz ? f.template operator()<FlushedHalf>() : f.template operator()<Half>();
}

[[nodiscard]] inline bool is_pair(Type type) { return type == Type::f16x2 || type == Type::bf16x2; }

/// What the comparison says, joined with the predicate that take_join() found.
[[nodiscard]] Mask joined(const Warp& warp, const Step& step, Mask value);
[[nodiscard]] Relation take_relation(Decoder& d);
/// Also refuses another number of operands. `operand`: where the predicate would stand.
void take_join(Decoder& d, Step& step, size_t operand);
/// ".ftz" of the type, refused where there is none.
[[nodiscard]] bool take_flush(Decoder& d, Type type);

}  // namespace parity::ptx::comparing
