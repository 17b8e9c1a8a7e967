// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The maxima of a tile of index scores over key blocks.
#pragma once

#include "optimized/cuda/device/largest.cuh"
#include "optimized/cuda/device/tile_product.cuh"

namespace parity::optimized::cuda {

/// The largest scores so far, as order codes: rows of the tile by key blocks.
template <int rows, int blocks>
struct BlockMaxima {
  static constexpr int kStride = blocks + 1;  // odd: rows of one block lie in different banks
  uint32_t code[rows * kStride];

  __device__ void clear() {
    for (int i = static_cast<int>(threadIdx.x); i < rows * kStride; i += static_cast<int>(blockDim.x))
      code[i] = kCodeOfLeast;
  }
  /// Codes are integers, so the result does not depend on the order of the threads.
  __device__ void raise(int row, int block, uint32_t with) { atomicMax(&code[row * kStride + block], with); }
  [[nodiscard]] __device__ float of(int row, int block) const { return number_of_order(code[row * kStride + block]); }
};

/// The larger one; NaN if one is.
__device__ inline float larger_or_nan(float a, float b) {
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}

/// Keeps the maximum of one row and one key block in a thread, and calls raise(row, block, code) only when either
/// changes.
template <class Raise>
class MaximumRun {
 public:
  __device__ explicit MaximumRun(const Raise& raise) : raise_(raise) {}
  __device__ ~MaximumRun() { flush(); }
  MaximumRun(const MaximumRun&) = delete;
  MaximumRun& operator=(const MaximumRun&) = delete;

  /// All lanes of a warp go on to another row or block together; lanes of a quad have one row.
  __device__ void add(int row, int block, uint32_t code) {
    if (row_ >= 0 && (row != row_ || block != block_)) flush();
    row_ = row;
    block_ = block;
    code_ = code > code_ ? code : code_;
  }

 private:
  __device__ void flush() {
    for (int distance = 1; distance < 4; distance *= 2) {
      const uint32_t other = __shfl_xor_sync(0xFFFFFFFFU, code_, distance);
      code_ = other > code_ ? other : code_;
    }
    if (threadIdx.x % 4 == 0 && code_ > kCodeOfLeast) raise_(row_, block_, code_);
    code_ = kCodeOfLeast;
  }

  const Raise& raise_;
  int row_ = -1, block_ = 0;
  uint32_t code_ = kCodeOfLeast;
};

}  // namespace parity::optimized::cuda
