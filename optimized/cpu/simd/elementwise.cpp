// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Functions of single elements: bound by memory, so one pass and nothing rounded in between.
#include "optimized/cpu/activation/element_rows.hpp"
#include "optimized/cpu/simd/functions.hpp"
#include "optimized/cpu/simd/pairs.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

/// function(a, b) of every element; a stands for an absent b.
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

template <class T>
void residual_add(const ElementRows<T>& r) {
  const Floats first = all(r.first_factor), second = all(r.second_factor);
  each(r, [=](Floats residual, Floats branch) { return residual * first + branch * second; });
}

/// As a result of type T where the chain of operations rounds. NaN stays NaN: those of this file come of 16 bits and have none below them.
template <bool kRounds>
[[gnu::always_inline]] inline Floats rounded(Floats v) {
  if constexpr (!kRounds) return v;
  const Words bits = __builtin_bit_cast(Words, v);
  return __builtin_bit_cast(Floats, (bits + 0x7fffU + ((bits >> 16U) & 1U)) & 0xffff0000U);
}

/// Clamps let NaN pass. Where the implementation that is followed is a chain of operations, it rounds as they do: clamped
/// values are often equal, and would all be off to the same side of the chain's.
template <bool kRounds, class T>
void swiglu(const ElementRows<T>& r) {
  const Floats most = all(r.limit), least = all(-r.limit), alpha = all(r.alpha), offset = all(r.offset);
  each(r, [=](Floats gate, Floats up) {
    const Floats g = gate > most ? most : gate;
    Floats u = up > most ? most : up;
    u = u < least ? least : u;
    const Floats sigmoid = rounded<kRounds>(logistic(rounded<kRounds>(g * alpha)));
    return rounded<kRounds>(u + offset) * rounded<kRounds>(g * sigmoid);
  });
}

template <class T>
void silu(const ElementRows<T>& r) {
  each(r, [](Floats x, Floats) { return x * logistic(x); });
}

template <class T>
void gelu(const ElementRows<T>& r) {
  constexpr float kRootOfHalf = 0.707106781F;
  each(r, [](Floats x, Floats) { return (0.5F * x) * (1.0F + error_function(x * kRootOfHalf)); });
}

}  // namespace

void residual_add_f32(const ElementRows<float>& args) { residual_add(args); }
void residual_add_bf16(const ElementRows<BFloat16>& args) { residual_add(args); }
void swiglu_f32(const ElementRows<float>& args) { swiglu<false>(args); }
void swiglu_bf16(const ElementRows<BFloat16>& args) { args.rounds ? swiglu<true>(args) : swiglu<false>(args); }
void silu_f32(const ElementRows<float>& args) { silu(args); }
void silu_bf16(const ElementRows<BFloat16>& args) { silu(args); }
void gelu_f32(const ElementRows<float>& args) { gelu(args); }
void gelu_bf16(const ElementRows<BFloat16>& args) { gelu(args); }

}  // namespace parity::cpu::PARITY_LEVEL
