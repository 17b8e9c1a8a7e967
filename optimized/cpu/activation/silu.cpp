// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/activation/silu.hpp"

#include "optimized/cpu/activation/elementwise.hpp"

namespace parity::cpu {

PARITY_CPU_FUNCTION(silu_f32, ElementRows<float>)
PARITY_CPU_FUNCTION(silu_bf16, ElementRows<BFloat16>)

}  // namespace parity::cpu

namespace parity::optimized {

void register_cpu_silu(BackendKernels& kernels) {
  elementwise::add_of_one<Silu, &cpu::silu_f32, &cpu::silu_bf16>(kernels);
}

}  // namespace parity::optimized
