// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One value of all threads of a block.
#pragma once

#include <cstdint>

namespace parity::optimized::cuda {

constexpr uint32_t kWarp = 32, kMostWarps = 32;  // of a block

/// The same in every thread: of_warp(values) over the threads' values. `of_warp` joins those of a warp and gives all of
/// its lanes the result; `none` changes no result. All threads of the block call it; it has whole warps.
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
