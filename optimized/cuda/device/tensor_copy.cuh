// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Copies of boxes of a tensor into shared memory, for compute capability 9.0.
#pragma once

#include <cstdint>

#include "optimized/cuda/tensor_map.hpp"

namespace parity::optimized::cuda {

constexpr int kSwizzled = 1024;  // bytes: a box begins at a multiple of this
constexpr int kBoxRow = 128;     // bytes of a row of a box, 64 numbers

/// Where a copy begins, the innermost axis first; it may lie outside of the tensor.
struct BoxStart {
  int32_t channel, row, matrix, batch;
};

/// `map` is a parameter of the kernel, or acquired. One thread asks; the box's bytes complete at the barrier.
__device__ inline void copy_box(uint32_t target, const TensorMap& map, const BoxStart& from, uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], "
      "[%6];" ::"r"(target),
      "l"(&map), "r"(from.channel), "r"(from.row), "r"(from.matrix), "r"(from.batch), "r"(barrier)
      : "memory");
}

/// Before a block's first copy by a map that is no parameter but lies in global memory.
__device__ inline void acquire_map(const TensorMap* map) {
  asm volatile("fence.proxy.tensormap::generic.acquire.sys [%0], 128;" ::"l"(map) : "memory");
}

/// Where element `channel` of a row of 64 numbers lies within a box, in numbers: chunks of 16 bytes change places.
__device__ inline int box_place(int row, int channel) { return row * 64 + ((channel / 8 ^ row % 8) * 8 | channel % 8); }

}  // namespace parity::optimized::cuda
