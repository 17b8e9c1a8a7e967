// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cpu/simd/elementwise.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

/// As a result of type T where the chain of operations rounds. NaN stays NaN: the numbers here come of 16 bits and have none below them.
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

}  // namespace

void swiglu_f32(const ElementRows<float>& args) { swiglu<false>(args); }
void swiglu_bf16(const ElementRows<BFloat16>& args) { args.rounds ? swiglu<true>(args) : swiglu<false>(args); }

}  // namespace parity::cpu::PARITY_LEVEL
