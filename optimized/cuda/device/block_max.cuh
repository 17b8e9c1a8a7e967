// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The largest number of the threads of a block.
#pragma once

#include "optimized/cuda/device/block_sum.cuh"

namespace parity::optimized::cuda {

__device__ inline float warp_max(float value) {
  for (uint32_t distance = kWarp / 2; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFFU, value, distance));
  return value;
}

/// The same in every thread; NaN counts for nothing. All threads of the block call it; it has whole warps.
__device__ inline float block_max(float value) {
  __shared__ float of_warp[kMostWarps];
  const uint32_t lane = threadIdx.x % kWarp, warps = blockDim.x / kWarp;
  value = warp_max(value);
  __syncthreads();  // nobody still reads the last one
  if (lane == 0) of_warp[threadIdx.x / kWarp] = value;
  __syncthreads();
  return warp_max(of_warp[lane < warps ? lane : 0]);
}

}  // namespace parity::optimized::cuda
