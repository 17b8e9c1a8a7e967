// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Routed experts: products of one expert's weights with a tile of its tokens, then the activation or the weighted sum. Many
// tokens lie along the lanes and share each weight row; few read the weights along their channels, at memory speed.
#include "optimized/cpu/expert_tile.hpp"
#include "optimized/cpu/simd/functions.hpp"
#include "optimized/cpu/simd/products.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

/// NaN stays NaN.
template <class T>
[[gnu::always_inline]] inline Floats rounded(Floats v, bool rounds) {
  if (sizeof(T) == sizeof(float) || !rounds) return v;
  const Words bits = __builtin_bit_cast(Words, v);
  const Floats near = __builtin_bit_cast(Floats, (bits + 0x7fffU + ((bits >> 16U) & 1U)) & 0xffff0000U);
  return v == v ? near : v;
}

template <class T>
[[gnu::always_inline]] inline T narrowed(float x) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return x;
  } else {
    const auto bits = __builtin_bit_cast(uint32_t, x);
    const uint32_t near = (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
    return {static_cast<uint16_t>(x == x ? near : (bits >> 16U) | 0x40U)};
  }
}

/// Clamps let NaN pass.
template <class T>
void expert_activation(const ExpertTile<T>& a) {
  float* gates = a.scratch;
  float* ups = a.scratch + kPieceRows * kTileTokens;
  products<T>(a, a.first, a.last, gates);
  products<T>(a, a.inner + a.first, a.inner + a.last, ups);
  const Floats most = all(a.limit), least = all(-a.limit);
  for (int64_t f = a.first; f < a.last; ++f) {
    for (int64_t t = 0; t < a.count; t += kLanes) {
      const int64_t at = (f - a.first) * kTokens + t;
      const Floats gate = rounded<T>(load(gates + at), a.rounds_hidden);
      const Floats up = rounded<T>(load(ups + at), a.rounds_hidden);
      const Floats g = gate > most ? most : gate;
      Floats u = up > most ? most : up;
      u = u < least ? least : u;
      const Floats sigmoid = rounded<T>(logistic(rounded<T>(g * a.alpha, a.rounds_scaled)), a.rounds_sigmoid);
      T result[kLanes];
      store(result, rounded<T>(u + a.offset, a.rounds_shifted) * rounded<T>(g * sigmoid, a.rounds_gated));
      for (int64_t i = 0; i < kLanes && t + i < a.count; ++i) a.activation[t + i][f] = result[i];
    }
  }
}

/// Adds each token's share in its own type, as the experts come: their order is that of the calls.
template <class T>
void expert_sum(const ExpertTile<T>& a) {
  products<T>(a, a.first, a.last, a.scratch);
  for (int64_t h = a.first; h < a.last; ++h) {
    for (int64_t t = 0; t < a.count; t += kLanes) {
      const Floats value = rounded<T>(load(a.scratch + (h - a.first) * kTokens + t), a.rounds_down);
      float down[kLanes];
      store(down, value);
      for (int64_t i = 0; i < kLanes && t + i < a.count; ++i) {
        const float share = down[i] * a.factor[t + i];
        if (a.weighted != nullptr) a.weighted[t + i][h] = share;
        T* out = a.out[t + i] + h;
        const T addend = narrowed<T>(share);
        *out = a.begins[t + i] ? addend : narrowed<T>(widened(*out) + widened(addend));
      }
    }
  }
}

}  // namespace

void expert_activation_f32(const ExpertSingle& args) { expert_activation(args); }
void expert_activation_bf16(const ExpertHalf& args) { expert_activation(args); }
void expert_sum_f32(const ExpertSingle& args) { expert_sum(args); }
void expert_sum_bf16(const ExpertHalf& args) { expert_sum(args); }

}  // namespace parity::cpu::PARITY_LEVEL
