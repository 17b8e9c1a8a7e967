// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Loops over the 32 lanes of operands: the shape of most handlers. Compilers make vector code of them.
#pragma once

#include <type_traits>

#include "optimized/ptx/instructions/type.hpp"
#include "optimized/ptx/machine/machine.hpp"

#define PARITY_LANES _Pragma("GCC ivdep") for (uint32_t l = 0; l < kLanes; ++l)

namespace parity::ptx {

template <size_t bytes>
using Bits = std::conditional_t<bytes == 8, uint64_t, std::conditional_t<bytes == 4, uint32_t, uint16_t>>;

/// a where the lane is in the mask, else b: by words, since compilers make no vectors of a test of one bit.
template <class U>
inline U chosen(Mask mask, uint32_t lane, U a, U b) {
  const auto all = static_cast<U>(U{0} - static_cast<U>(mask >> lane & 1U));
  return static_cast<U>((a & all) | (b & static_cast<U>(~all)));
}

/// Values of the executing lanes into a register.
template <class D>
inline void put(const Warp& warp, uint32_t offset, const D* values) {
  using U = Bits<sizeof(D)>;
  const Mask mask = warp.mask;
  U* to = warp.at<U>(offset);
  const U* from = reinterpret_cast<const U*>(values);
  if (mask == kAllLanes) {
    PARITY_LANES to[l] = from[l];
    return;
  }
  PARITY_LANES to[l] = chosen(mask, l, from[l], to[l]);
}

template <class D>
inline void put_all(const Warp& warp, uint32_t offset, D value) {
  D values[kLanes];
  PARITY_LANES values[l] = value;
  put(warp, offset, values);
}

inline void put_predicate(const Warp& warp, uint32_t offset, Mask values) {
  Mask& to = *warp.at<Mask>(offset);
  to = (to & ~warp.mask) | (values & warp.mask);
}

inline void do_nothing(Warp&, const Step&) {}

/// d = f(a)
template <class D, class A, auto f>
void map1(Warp& warp, const Step& step) {
  const A* a = warp.at<A>(step.a);
  alignas(64) D values[kLanes];
  PARITY_LANES values[l] = f(a[l]);
  put(warp, step.d, values);
}

/// d = f(a, b)
template <class D, class A, class B, auto f>
void map2(Warp& warp, const Step& step) {
  const A* a = warp.at<A>(step.a);
  const B* b = warp.at<B>(step.b);
  alignas(64) D values[kLanes];
  PARITY_LANES values[l] = f(a[l], b[l]);
  put(warp, step.d, values);
}

/// d = f(a, b, c)
template <class D, class A, class B, class C, auto f>
void map3(Warp& warp, const Step& step) {
  const A* a = warp.at<A>(step.a);
  const B* b = warp.at<B>(step.b);
  const C* c = warp.at<C>(step.c);
  alignas(64) D values[kLanes];
  PARITY_LANES values[l] = f(a[l], b[l], c[l]);
  put(warp, step.d, values);
}

/// The handler for an integer type: f.template operator()<int32_t>(); null for other types.
template <class F>
Handler of_integers(Type type, F f) {
  switch (type) {
    case Type::b16:
    case Type::u16:
      return f.template operator()<uint16_t>();
    case Type::s16:
      return f.template operator()<int16_t>();
    case Type::b32:
    case Type::u32:
      return f.template operator()<uint32_t>();
    case Type::s32:
      return f.template operator()<int32_t>();
    case Type::b64:
    case Type::u64:
      return f.template operator()<uint64_t>();
    case Type::s64:
      return f.template operator()<int64_t>();
    default:
      return nullptr;
  }
}

/// Its unsigned type, at least as wide as int, so that sums and products wrap.
template <class X>
using Wrapping = std::conditional_t<sizeof(X) == 8, uint64_t, uint32_t>;

}  // namespace parity::ptx
