// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cpu/simd/elementwise.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

template <class T>
void silu(const ElementRows<T>& r) {
  each(r, [](Floats x, Floats) { return x * logistic(x); });
}

}  // namespace

void silu_f32(const ElementRows<float>& args) { silu(args); }
void silu_bf16(const ElementRows<BFloat16>& args) { silu(args); }

}  // namespace parity::cpu::PARITY_LEVEL
