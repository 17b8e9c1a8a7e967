// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Routed experts: products of one expert's weights with a panel of its tokens, then the activation or the weighted sum.
#include "optimized/cpu/experts/expert_panel.hpp"
#include "optimized/cpu/simd/functions.hpp"
#include "optimized/cpu/simd/products.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

/// Rounds to T if `rounds` is set; NaN stays NaN.
template <class T>
[[gnu::always_inline]] inline Floats rounded(Floats v, bool rounds) {
  if (sizeof(T) == sizeof(float) || !rounds) return v;
  const Words bits = __builtin_bit_cast(Words, v);
  const Floats near = __builtin_bit_cast(Floats, (bits + 0x7fffU + ((bits >> 16U) & 1U)) & 0xffff0000U);
  return v == v ? near : v;
}

/// Computes the activation; the clamps let NaN pass.
template <class T>
[[gnu::always_inline]] inline Floats activated(const ExpertPanel<T>& a, Floats gate, Floats up) {
  const Floats most = all(a.limit), least = all(-a.limit);
  gate = rounded<T>(gate, a.rounds_hidden);
  up = rounded<T>(up, a.rounds_hidden);
  const Floats g = gate > most ? most : gate;
  Floats u = up > most ? most : up;
  u = u < least ? least : u;
  const Floats sigmoid = rounded<T>(logistic(rounded<T>(g * a.alpha, a.rounds_scaled)), a.rounds_sigmoid);
  return rounded<T>(u + a.offset, a.rounds_shifted) * rounded<T>(g * sigmoid, a.rounds_gated);
}

template <class T>
void expert_activation(const ExpertPanel<T>& a) {
  const ProductPanel<T>& panel = a.panel;
  const int64_t rows = panel.last - panel.first;
  const Products<T> gates(panel, panel.first, panel.last, panel.scratch);
  const Products<T> ups(panel, a.inner + panel.first, a.inner + panel.last,
                        panel.scratch + kMostPieceRows / 2 * kPanelTokens);
  in_blocks(panel.count, rows, [&](int64_t token, int64_t row) {
    Floats gate[kLanes], up[kLanes];
    gates.turned(token, row, gate);
    ups.turned(token, row, up);
    for (int64_t i = 0; i < kLanes && token + i < panel.count; ++i) {
      T* to = a.activation[token + i] + panel.first + row;
      const Floats result = activated(a, gate[i], up[i]);
      rows - row < kLanes ? store_some(to, result, rows - row) : store(to, result);
    }
  });
}

/// Adds some channels of an expert's share to a token's sum in type T. Experts are called in the order of the sum.
template <class T>
[[gnu::always_inline]] inline void add_share(const ExpertPanel<T>& a, int64_t token, int64_t channel, Floats down,
                                             int64_t some) {
  const auto write = [&](auto* x, Floats v) { some == kLanes ? store(x, v) : store_some(x, v, some); };
  const Floats share = rounded<T>(down, a.rounds_down) * a.factor[token];
  if (a.weighted != nullptr) write(a.weighted[token] + channel, share);
  T* out = a.out[token] + channel;
  if (a.begins[token]) return write(out, share);
  write(out, (some == kLanes ? load(out) : load_some(out, some)) + rounded<T>(share, true));
}

template <class T>
void expert_sum(const ExpertPanel<T>& a) {
  const ProductPanel<T>& panel = a.panel;
  const int64_t rows = panel.last - panel.first;
  const Products<T> products(panel, panel.first, panel.last, panel.scratch);
  in_blocks(panel.count, rows, [&](int64_t token, int64_t row) {
    Floats down[kLanes];
    products.turned(token, row, down);
    for (int64_t i = 0; i < kLanes && token + i < panel.count; ++i)
      add_share(a, token + i, panel.first + row, down[i], rows - row < kLanes ? rows - row : kLanes);
  });
}

}  // namespace

void expert_activation_f32(const ExpertSingle& args) { expert_activation(args); }
void expert_activation_bf16(const ExpertHalf& args) { expert_activation(args); }
void expert_sum_f32(const ExpertSingle& args) { expert_sum(args); }
void expert_sum_bf16(const ExpertHalf& args) { expert_sum(args); }

}  // namespace parity::cpu::PARITY_LEVEL
