// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// mul, mad, mul24, mad24 of integers. Source: PTX ISA 9.0, sections 9.7.1.3 to 9.7.1.6.
#include <algorithm>
#include <limits>

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/instructions/lanes.hpp"

namespace parity::ptx {
namespace {

template <class X>
struct Twice;
template <>
struct Twice<uint16_t> {
  using Result = uint32_t;
};
template <>
struct Twice<int16_t> {
  using Result = int32_t;
};
template <>
struct Twice<uint32_t> {
  using Result = uint64_t;
};
template <>
struct Twice<int32_t> {
  using Result = int64_t;
};

template <class X>
X low(X a, X b) {
  return static_cast<X>(static_cast<Wrapping<X>>(a) * static_cast<Wrapping<X>>(b));
}
template <class X>
X plus(X a, X b) {
  return static_cast<X>(static_cast<Wrapping<X>>(a) + static_cast<Wrapping<X>>(b));
}
template <class X>
X high(X a, X b) {
  if constexpr (sizeof(X) == 8) {
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    const uint64_t x0 = x & 0xFFFFFFFFU, x1 = x >> 32U, y0 = y & 0xFFFFFFFFU, y1 = y >> 32U;
    const uint64_t middle = x1 * y0 + (x0 * y0 >> 32U), other = x0 * y1 + (middle & 0xFFFFFFFFU);
    uint64_t result = x1 * y1 + (middle >> 32U) + (other >> 32U);
    if (std::is_signed_v<X>) result -= (a < 0 ? y : 0) + (b < 0 ? x : 0);
    return static_cast<X>(result);
  } else {
    using W = typename Twice<X>::Result;
    return static_cast<X>(static_cast<W>(static_cast<W>(a) * static_cast<W>(b)) >> (8 * sizeof(X)));
  }
}

int32_t high_saturated(int32_t a, int32_t b, int32_t c) {
  using Limits = std::numeric_limits<int32_t>;
  return static_cast<int32_t>(std::clamp<int64_t>(int64_t{high(a, b)} + c, Limits::min(), Limits::max()));
}

Handler wide(Decoder& d, Step& step, Type type, bool add) {
  Type result = Type::none;
  if (type == Type::u16) result = Type::u32;
  if (type == Type::s16) result = Type::s32;
  if (type == Type::u32) result = Type::u64;
  if (type == Type::s32) result = Type::s64;
  if (result == Type::none) d.refuse("'.wide' is for 16 and 32 bits");
  step.d = d.destination(0, result);
  step.a = d.source(1, type);
  step.b = d.source(2, type);
  if (add) step.c = d.source(3, result);
  const auto of = [add]<class X>() -> Handler {
    using W = typename Twice<X>::Result;
    if (add) return &map3<W, X, X, W, [](X a, X b, W c) { return plus(static_cast<W>(W{a} * W{b}), c); }>;
    return &map2<W, X, X, [](X a, X b) { return static_cast<W>(W{a} * W{b}); }>;
  };
  switch (type) {
    case Type::u16:
      return of.operator()<uint16_t>();
    case Type::s16:
      return of.operator()<int16_t>();
    case Type::u32:
      return of.operator()<uint32_t>();
    default:
      return of.operator()<int32_t>();
  }
}

/// Of the 24 low bits.
template <class X>
typename Twice<X>::Result narrow_product(X a, X b) {
  constexpr uint32_t kUnused = 8;
  const X x = static_cast<X>(static_cast<uint32_t>(a) << kUnused) >> kUnused;
  const X y = static_cast<X>(static_cast<uint32_t>(b) << kUnused) >> kUnused;
  return static_cast<typename Twice<X>::Result>(x) * y;
}

Handler of_24_bits(Decoder& d, Step& step, Type type, bool add) {
  if (type != Type::u32 && type != Type::s32) d.refuse("a type of 32 bits is expected");
  d.same(step, type);
  if (!add) step.c = d.constant(0, 4);
  const int part = d.take_one({"lo", "hi"});
  if (part < 0) d.refuse("'.lo' or '.hi' is expected");
  const auto of = [part]<class X>() -> Handler {
    if (part == 0)
      return &map3<X, X, X, X, [](X a, X b, X c) { return plus(static_cast<X>(narrow_product(a, b)), c); }>;
    return &map3<X, X, X, X, [](X a, X b, X c) { return plus(static_cast<X>(narrow_product(a, b) >> 16), c); }>;
  };
  return type == Type::u32 ? of.operator()<uint32_t>() : of.operator()<int32_t>();
}

}  // namespace

Handler product_group(Decoder& d, Step& step) {
  const bool add = d.is("mad") || d.is("mad24");
  if (!add && !d.is("mul") && !d.is("mul24")) return nullptr;
  const Type type = d.peek_type();
  if (!is_integer(type) || bytes_of(type) < 2 || d.has("cc")) return nullptr;
  d.take_type();
  d.need(add ? 4 : 3);
  if (d.name().ends_with("24")) return of_24_bits(d, step, type, add);
  if (d.take("wide")) return wide(d, step, type, add);
  d.same(step, type);
  const bool hi = d.take("hi");
  if (!hi && !d.take("lo")) d.refuse("'.lo', '.hi' or '.wide' is expected");
  if (d.has("sat")) {
    if (!hi || !add || type != Type::s32 || !d.take("sat")) d.refuse("'.sat' is for mad.hi.s32");
    return &map3<int32_t, int32_t, int32_t, int32_t, high_saturated>;
  }
  if (hi && add)
    return of_integers(type, []<class X>() -> Handler {
      return &map3<X, X, X, X, [](X a, X b, X c) { return plus(high(a, b), c); }>;
    });
  if (hi) return of_integers(type, []<class X>() -> Handler { return &map2<X, X, X, high<X>>; });
  if (add)
    return of_integers(
        type, []<class X>() -> Handler { return &map3<X, X, X, X, [](X a, X b, X c) { return plus(low(a, b), c); }>; });
  return of_integers(type, []<class X>() -> Handler { return &map2<X, X, X, low<X>>; });
}

}  // namespace parity::ptx
