// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// silu: a thread for each element.
#include "optimized/cuda/elementwise.hpp"

#ifdef __CUDACC__

#include "optimized/cuda/device/functions.cuh"

namespace parity::optimized::cuda {

template <class T>
__device__ void silu(const ElementParameters<1>& p) {
  each<T>(p, [](float x) { return x * logistic(x); });
}

extern "C" __global__ void silu_f32(const __grid_constant__ ElementParameters<1> p) { silu<float>(p); }
extern "C" __global__ void silu_bf16(const __grid_constant__ ElementParameters<1> p) { silu<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/components/activation/silu.hpp"

namespace parity::optimized::cuda {

void register_cuda_silu(BackendKernels& kernels) { add_of_one<Silu>(kernels); }

}  // namespace parity::optimized::cuda

#endif
