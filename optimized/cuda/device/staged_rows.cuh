// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rows of bf16 results that a warp holds as wgmma leaves them, written by 16 bytes.
#pragma once

#include "optimized/cuda/device/element.cuh"
#include "optimized/cuda/device/mma.cuh"

namespace parity::optimized::cuda {

/// 16 rows in shared memory that nobody but the warp uses, 16 bytes between them: neighbours lie in different banks.
template <int columns>
class StagedRows {
 public:
  static constexpr int kStride = columns + 8, kElements = 16 * kStride;

  /// `memory`: kElements, aligned to 16 bytes.
  __device__ explicit StagedRows(Bf16* memory) : memory_(memory) {}

  /// pair(column, j, half) -> both results at column and the next, packed: those of row lane / 4 + 8 half, in the j-th
  /// eight of columns.
  template <class Pair>
  __device__ void fill(const Pair& pair) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int j = 0; j < columns / 8; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int column = 8 * j + lane % 4 * 2;
        *reinterpret_cast<uint32_t*>(memory_ + (lane / 4 + 8 * half) * kStride + column) = pair(column, j, half);
      }
    }
    __syncwarp();
  }

  /// `count` columns of each row. target(row): where it begins, a multiple of 16 bytes, or null.
  template <class Target>
  __device__ void write(int64_t count, const Target& target) const {
    constexpr int pieces = columns / 8;
    for (int i = static_cast<int>(threadIdx.x) % 32; i < 16 * pieces; i += 32) {
      const int row = i / pieces, column = i % pieces * 8;
      Bf16* const to = target(row);
      if (to == nullptr || column >= count) continue;
      const Bf16* const from = memory_ + row * kStride + column;
      if (column + 8 <= count) {
        *reinterpret_cast<uint4*>(to + column) = *reinterpret_cast<const uint4*>(from);
      } else {
        for (int k = 0; column + k < count; ++k) to[column + k] = from[k];
      }
    }
  }

 private:
  Bf16* memory_;
};

}  // namespace parity::optimized::cuda
