// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Linear layers: products of a panel, transposed so that a token's channels are contiguous again.
#include "optimized/cpu/simd/products.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

template <class T>
void pack_tokens(const PackTokens<T>& a) {
  pack(a.rows, a.count, a.width, a.first / kChannels<T>, (a.last + kChannels<T> - 1) / kChannels<T>,
       reinterpret_cast<Packed<T>*>(a.packed), a.line);
}

template <class T>
void linear_panel(const LinearPanel<T>& a) {
  const int64_t count = a.panel.count, rows = a.panel.last - a.panel.first;
  const Products<T> products(a.panel, a.panel.first, a.panel.last, a.panel.scratch);
  in_blocks(count, rows, [&](int64_t token, int64_t row) {
    Floats x[kLanes];
    products.turned(token, row, x);
    const int64_t some = rows - row < kLanes ? rows - row : kLanes;
    if (a.bias != nullptr) {
      const Floats bias = some == kLanes ? load(a.bias + row) : load_some(a.bias + row, some);
      for (auto& v : x) v += bias;
    }
    for (int64_t i = 0; i < kLanes && token + i < count; ++i) {
      T* out = a.out[token + i] + a.column + row;
      some == kLanes ? store(out, x[i]) : store_some(out, x[i], some);
    }
  });
}

}  // namespace

void pack_tokens_f32(const PackSingle& args) { pack_tokens(args); }
void pack_tokens_bf16(const PackHalf& args) { pack_tokens(args); }
void linear_panel_f32(const LinearSingle& args) { linear_panel(args); }
void linear_panel_bf16(const LinearHalf& args) { linear_panel(args); }

}  // namespace parity::cpu::PARITY_LEVEL
