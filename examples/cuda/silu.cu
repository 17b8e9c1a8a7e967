// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A kernel as it stands in somebody's own tree: nothing in it is written for parity.
// parity battery --kernel cu:examples/cuda/silu.cu
#include <cuda_bf16.h>

__device__ float silu(float x) { return x / (1.0f + expf(-x)); }

__device__ float load(const float* x) { return *x; }
__device__ float load(const __nv_bfloat16* x) { return __bfloat162float(*x); }
__device__ void store(float* out, float value) { *out = value; }
__device__ void store(__nv_bfloat16* out, float value) { *out = __float2bfloat16(value); }

template <class T>
__global__ void silu_kernel(const T* x, T* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) store(out + i, silu(load(x + i)));
}

template __global__ void silu_kernel(const float*, float*, int);
template __global__ void silu_kernel(const __nv_bfloat16*, __nv_bfloat16*, int);
