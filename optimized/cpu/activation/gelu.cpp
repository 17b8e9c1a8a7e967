// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/activation/gelu.hpp"

#include "optimized/cpu/activation/elementwise.hpp"

namespace parity::cpu {

PARITY_CPU_FUNCTION(gelu_f32, ElementRows<float>)
PARITY_CPU_FUNCTION(gelu_bf16, ElementRows<BFloat16>)

}  // namespace parity::cpu

namespace parity::optimized {

void register_cpu_gelu(BackendKernels& kernels) {
  elementwise::add_of_one<Gelu, &cpu::gelu_f32, &cpu::gelu_bf16>(kernels);
}

}  // namespace parity::optimized
