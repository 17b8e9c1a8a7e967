// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The sum, maximum, … of one value per thread, over a block.
#pragma once

#include <cstdint>

namespace parity::optimized::cuda {

constexpr uint32_t kWarp = 32, kMostWarps = 32;  // of a block

/// Returns to every thread the result of of_warp over the values of all threads. `of_warp` joins the values of a warp
/// and returns the result to all of its lanes; joining `none` changes nothing. All threads of the block call this; it
/// has whole warps.
template <class T, class OfWarp>
__device__ T joined_in_block(T value, T none, const OfWarp& of_warp) {
  __shared__ T joined[kMostWarps];
  const uint32_t lane = threadIdx.x % kWarp, warps = blockDim.x / kWarp;
  value = of_warp(value);
  __syncthreads();  // nobody still reads the last one
  if (lane == 0) joined[threadIdx.x / kWarp] = value;
  __syncthreads();
  return of_warp(lane < warps ? joined[lane] : none);
}

}  // namespace parity::optimized::cuda
