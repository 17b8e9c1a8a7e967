// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The sum over the threads of a block.
#pragma once

#include "optimized/cuda/device/block_join.cuh"

namespace parity::optimized::cuda {

constexpr uint32_t kWarp = 32, kMostWarps = 32;  // of a block

__device__ inline float warp_sum(float value) {
  for (uint32_t distance = kWarp / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xFFFFFFFFU, value, distance);
  return value;
}

/// The same in every thread. All threads of the block call it; it has whole warps.
__device__ inline float block_sum(float value) {
  __shared__ float of_warp[kMostWarps];
  const uint32_t lane = threadIdx.x % kWarp, warps = blockDim.x / kWarp;
  value = warp_sum(value);
  __syncthreads();  // nobody still reads the last sum
  if (lane == 0) of_warp[threadIdx.x / kWarp] = value;
  __syncthreads();
  return warp_sum(lane < warps ? of_warp[lane] : 0.0F);
}

}  // namespace parity::optimized::cuda
