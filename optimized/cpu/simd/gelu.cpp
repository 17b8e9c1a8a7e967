// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cpu/simd/elementwise.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

template <class T>
void gelu(const ElementRows<T>& r) {
  constexpr float kRootOfHalf = 0.707106781F;
  each(r, [](Floats x, Floats) { return (0.5F * x) * (1.0F + error_function(x * kRootOfHalf)); });
}

}  // namespace

void gelu_f32(const ElementRows<float>& args) { gelu(args); }
void gelu_bf16(const ElementRows<BFloat16>& args) { gelu(args); }

}  // namespace parity::cpu::PARITY_LEVEL
