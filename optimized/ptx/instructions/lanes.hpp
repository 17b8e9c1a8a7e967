// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Loops over the 32 lanes of operands: the shape of most handlers. Compilers make vector code of them.
#pragma once

#include <type_traits>

#include "optimized/ptx/instructions/type.hpp"
#include "optimized/ptx/machine/machine.hpp"

#define PARITY_LANES _Pragma("GCC ivdep") for (uint32_t l = 0; l < kLanes; ++l)

namespace parity::ptx {

/// Values of the executing lanes into a register.
template <class D>
inline void put(const Warp& warp, uint32_t offset, const D* values) {
  D* to = warp.at<D>(offset);
  const Mask mask = warp.mask;
  PARITY_LANES to[l] = has_lane(mask, l) ? values[l] : to[l];
}

template <class D>
inline void put_all(const Warp& warp, uint32_t offset, D value) {
  D* to = warp.at<D>(offset);
  const Mask mask = warp.mask;
  PARITY_LANES to[l] = has_lane(mask, l) ? value : to[l];
}

inline void put_predicate(const Warp& warp, uint32_t offset, Mask values) {
  Mask& to = *warp.at<Mask>(offset);
  to = (to & ~warp.mask) | (values & warp.mask);
}

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
