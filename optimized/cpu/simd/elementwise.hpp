// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Functions of single elements. Memory limits them, so they make one pass over the rows.
#pragma once

#include "optimized/cpu/activation/element_rows.hpp"
#include "optimized/cpu/simd/functions.hpp"
#include "optimized/cpu/simd/pairs.hpp"

namespace parity::cpu::PARITY_LEVEL {

/// Computes function(a, b) of every element; an absent b is replaced by a.
template <class T, class Function>
[[gnu::always_inline]] inline void each(const ElementRows<T>& r, const Function& function) {
  for (int64_t n = r.first; n < r.last; ++n) {
    const T* a = r.a + n * r.a_stride;
    const T* b = r.b == nullptr ? a : r.b + n * r.b_stride;
    T* out = r.out + n * r.out_stride;
    int64_t h = 0;
    for (; h + kTwo <= r.width; h += kTwo) store_two(out + h, of_two(function, load_two(a + h), load_two(b + h)));
    for (; h < r.width; h += kLanes) {
      const int64_t some = r.width - h < kLanes ? r.width - h : kLanes;
      if (some == kLanes) {
        store(out + h, function(load(a + h), load(b + h)));
      } else {
        store_some(out + h, function(load_some(a + h, some), load_some(b + h, some)), some);
      }
    }
  }
}

}  // namespace parity::cpu::PARITY_LEVEL
