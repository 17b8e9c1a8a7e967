// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cuda/kernels.hpp"

#include "optimized/cuda/modules.hpp"

namespace parity::optimized::cuda {

#define PARITY_KERNEL(name) void register_cuda_##name(BackendKernels& kernels);
#include "optimized/cuda_kernels.def"
#undef PARITY_KERNEL

void add_kernels(BackendKernels& kernels) {
  if (!has_modules()) return;
#define PARITY_KERNEL(name) register_cuda_##name(kernels);
#include "optimized/cuda_kernels.def"
#undef PARITY_KERNEL
}

}  // namespace parity::optimized::cuda
