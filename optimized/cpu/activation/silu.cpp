// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/activation/silu.hpp"

#include "optimized/backends.hpp"
#include "optimized/cpu/activation/elementwise.hpp"

namespace parity::optimized {

void register_cpu_silu(BackendKernels& kernels) {
  kernels.add<Silu>("f32", &elementwise::of_one<Silu, float, &cpu::silu_f32>);
  kernels.add<Silu>("bf16", &elementwise::of_one<Silu, BFloat16, &cpu::silu_bf16>);
}

}  // namespace parity::optimized
