// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cpu/simd/elementwise.hpp"

namespace parity::cpu::PARITY_LEVEL {
namespace {

template <class T>
void residual_add(const ElementRows<T>& r) {
  const Floats first = all(r.first_factor), second = all(r.second_factor);
  each(r, [=](Floats residual, Floats branch) { return residual * first + branch * second; });
}

}  // namespace

void residual_add_f32(const ElementRows<float>& args) { residual_add(args); }
void residual_add_bf16(const ElementRows<BFloat16>& args) { residual_add(args); }

}  // namespace parity::cpu::PARITY_LEVEL
