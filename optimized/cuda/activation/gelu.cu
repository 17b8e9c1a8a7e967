// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// gelu: a thread for each element.
#include "optimized/cuda/elementwise.hpp"

#ifdef __CUDACC__

namespace parity::optimized::cuda {

template <class T>
__device__ void gelu(const ElementParameters<1>& p) {
  constexpr float kRootOfHalf = 0.707106781F;
  each<T>(p, [](float x) { return (0.5F * x) * (1.0F + erff(x * kRootOfHalf)); });
}

extern "C" __global__ void gelu_f32(const __grid_constant__ ElementParameters<1> p) { gelu<float>(p); }
extern "C" __global__ void gelu_bf16(const __grid_constant__ ElementParameters<1> p) { gelu<Bf16>(p); }

}  // namespace parity::optimized::cuda

#else

#include "core/components/activation/gelu.hpp"

namespace parity::optimized::cuda {

void register_cuda_gelu(BackendKernels& kernels) { add_of_one<Gelu>(kernels); }

}  // namespace parity::optimized::cuda

#endif
