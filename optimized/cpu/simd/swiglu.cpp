// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cpu/simd/elementwise.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

/// Rounds to T if the chain of operations rounds. NaN stays NaN, because these come from 16 bits: low halves are zero.
template <bool kRounds>
[[gnu::always_inline]] inline Floats rounded(Floats v) {
  if constexpr (!kRounds) return v;
  const Words bits = __builtin_bit_cast(Words, v);
  return __builtin_bit_cast(Floats, (bits + 0x7fffU + ((bits >> 16U) & 1U)) & 0xffff0000U);
}

/// Computes the activation; clamps let NaN pass. If the original is a chain of operations, it rounds as that chain
/// does: clamped values are often equal, and unrounded they would all deviate to the same side.
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
