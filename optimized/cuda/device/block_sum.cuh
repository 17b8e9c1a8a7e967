// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The sum over the threads of a block.
#pragma once

#include "optimized/cuda/device/block_join.cuh"

namespace parity::optimized::cuda {

__device__ inline float warp_sum(float value) {
  for (uint32_t distance = kWarp / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xFFFFFFFFU, value, distance);
  return value;
}

/// Called like joined_in_block.
__device__ inline float block_sum(float value) { return joined_in_block(value, 0.0F, warp_sum); }

}  // namespace parity::optimized::cuda
