// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The largest number of the threads of a block.
#pragma once

#include "optimized/cuda/device/block_join.cuh"

namespace parity::optimized::cuda {

__device__ inline float warp_max(float value) {
  for (uint32_t distance = kWarp / 2; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFFU, value, distance));
  return value;
}

/// Called like joined_in_block. NaN is ignored unless all values are NaN; then it is the result.
__device__ inline float block_max(float value) { return joined_in_block(value, __int_as_float(0x7FC00000), warp_max); }

}  // namespace parity::optimized::cuda
