// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// add, sub, min, max, abs, neg, div, rem, sad of integers. Source: PTX ISA 9.0, section 9.7.1.
#include <algorithm>
#include <limits>

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/instructions/lanes.hpp"

namespace parity::ptx {
namespace {

template <class X>
X wrapping_sum(X a, X b) {
  return static_cast<X>(static_cast<Wrapping<X>>(a) + static_cast<Wrapping<X>>(b));
}
template <class X>
X wrapping_difference(X a, X b) {
  return static_cast<X>(static_cast<Wrapping<X>>(a) - static_cast<Wrapping<X>>(b));
}
int32_t saturated(int64_t value) {
  using Limits = std::numeric_limits<int32_t>;
  return static_cast<int32_t>(std::clamp<int64_t>(value, Limits::min(), Limits::max()));
}
int32_t add_saturated(int32_t a, int32_t b) { return saturated(int64_t{a} + b); }
int32_t subtract_saturated(int32_t a, int32_t b) { return saturated(int64_t{a} - b); }

/// A division by zero and its remainder are all ones, as on an H100; the least number by -1 is itself.
template <class X>
X divide(X a, X b) {
  if (b == 0) return static_cast<X>(-1);
  if (std::is_signed_v<X> && b == static_cast<X>(-1)) return wrapping_difference(X{0}, a);
  return static_cast<X>(a / b);
}
template <class X>
X remainder(X a, X b) {
  if (b == 0) return static_cast<X>(-1);
  if (std::is_signed_v<X> && b == static_cast<X>(-1)) return 0;
  return static_cast<X>(a % b);
}

Handler sums(Decoder& d, Step& step, Type type) {
  const bool plus = d.is("add");
  d.need(3);
  d.same(step, type);
  if (d.has("sat")) {
    if (type != Type::s32 || !d.take("sat")) d.refuse("'.sat' is for .s32");
    return plus ? &map2<int32_t, int32_t, int32_t, add_saturated>
                : &map2<int32_t, int32_t, int32_t, subtract_saturated>;
  }
  if (plus) return of_integers(type, []<class X>() -> Handler { return &map2<X, X, X, wrapping_sum<X>>; });
  return of_integers(type, []<class X>() -> Handler { return &map2<X, X, X, wrapping_difference<X>>; });
}

Handler extremes(Decoder& d, Step& step, Type type) {
  d.need(3);
  d.same(step, type);
  if (d.has("relu")) {
    if (type != Type::s32 || !d.take("relu")) d.refuse("'.relu' is for .s32");
    constexpr auto least = [](int32_t a, int32_t b) { return std::max(std::min(a, b), 0); };
    constexpr auto most = [](int32_t a, int32_t b) { return std::max(std::max(a, b), 0); };
    return d.is("min") ? &map2<int32_t, int32_t, int32_t, least> : &map2<int32_t, int32_t, int32_t, most>;
  }
  if (d.is("min"))
    return of_integers(type,
                       []<class X>() -> Handler { return &map2<X, X, X, [](X a, X b) { return a < b ? a : b; }>; });
  return of_integers(type, []<class X>() -> Handler { return &map2<X, X, X, [](X a, X b) { return a < b ? b : a; }>; });
}

Handler one_operand(Decoder& d, Step& step, Type type) {
  d.need(2);
  d.same(step, type);
  if (!is_signed(type)) d.refuse("a signed type is expected");
  if (d.is("neg"))
    return of_integers(
        type, []<class X>() -> Handler { return &map1<X, X, [](X a) { return wrapping_difference(X{0}, a); }>; });
  return of_integers(type, []<class X>() -> Handler {
    return &map1<X, X, [](X a) { return a < 0 ? wrapping_difference(X{0}, a) : a; }>;
  });
}

}  // namespace

Handler integer_group(Decoder& d, Step& step) {
  const bool known = d.is("add") || d.is("sub") || d.is("min") || d.is("max") || d.is("div") || d.is("rem") ||
                     d.is("abs") || d.is("neg") || d.is("sad");
  const Type type = d.peek_type();
  if (!known || !is_integer(type) || bytes_of(type) < 2 || d.has("cc")) return nullptr;
  d.take_type();
  if (d.is("add") || d.is("sub")) return sums(d, step, type);
  if (d.is("min") || d.is("max")) return extremes(d, step, type);
  if (d.is("abs") || d.is("neg")) return one_operand(d, step, type);
  if (d.is("sad")) {
    d.need(4);
    d.same(step, type);
    return of_integers(type, []<class X>() -> Handler {
      return &map3<X, X, X, X, [](X a, X b, X c) {
        return wrapping_sum(c, a < b ? wrapping_difference(b, a) : wrapping_difference(a, b));
      }>;
    });
  }
  d.need(3);
  d.same(step, type);
  if (d.is("div")) return of_integers(type, []<class X>() -> Handler { return &map2<X, X, X, divide<X>>; });
  return of_integers(type, []<class X>() -> Handler { return &map2<X, X, X, remainder<X>>; });
}

}  // namespace parity::ptx
