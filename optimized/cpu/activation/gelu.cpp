// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/activation/gelu.hpp"

#include "optimized/backends.hpp"
#include "optimized/cpu/activation/elementwise.hpp"

namespace parity::optimized {

void register_cpu_gelu(BackendKernels& kernels) {
  kernels.add<Gelu>("f32", &elementwise::of_one<Gelu, float, &cpu::gelu_f32>);
  kernels.add<Gelu>("bf16", &elementwise::of_one<Gelu, BFloat16, &cpu::gelu_bf16>);
}

}  // namespace parity::optimized
