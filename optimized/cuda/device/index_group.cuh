// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Index scores for compute capability 9.0: 128 queries stay in shared memory, key blocks come by. A warpgroup has the scores
// of 64 queries with a key block in registers and keeps their maxima.
#pragma once

#include "optimized/cuda/device/copy_async.cuh"
#include "optimized/cuda/device/element.cuh"
#include "optimized/cuda/device/mbarrier.cuh"
#include "optimized/cuda/device/slice.cuh"
#include "optimized/cuda/device/tensor_copy.cuh"
#include "optimized/cuda/device/wgmma.cuh"
#include "optimized/cuda/index/index_block_scores_sm90.hpp"

namespace parity::optimized::cuda {

struct IndexGroupMemory {
  static constexpr int kBoxBytes = kIndexSlots * kBoxRow, kTileBytes = kIndexWidth / 64 * kBoxBytes;
  static_assert(kIndexSlots == kIndexRows);

  alignas(kSwizzled) char queries[kTileBytes];
  alignas(kSwizzled) char stages[kIndexStages][kTileBytes];
  float maxima[kIndexRows][kIndexChunk + 1];  // rows begin in different banks
  uint64_t of_ring[2 * kIndexStages], of_queries;
};

/// NaN where one of both is.
__device__ inline float larger(float a, float b) {
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}

class IndexGroup {
 public:
  using Memory = IndexGroupMemory;
  static constexpr int kColumns = kIndexSlots / 8;  // eights of slots

  __device__ IndexGroup(const IndexSm90Parameters& p, Memory& memory)
      : p_(p), memory_(memory), ring_(shared_address(memory.of_ring)) {
    tile_tokens_ = kIndexRows / p.heads;
    token_ = static_cast<int32_t>(blockIdx.x) % p.token_tiles * tile_tokens_;
    block_ = static_cast<int32_t>(blockIdx.x) / p.token_tiles * p.chunk;
    int32_t least = p.slots, most = -1;
    for (int32_t t = static_cast<int32_t>(threadIdx.x % 32); t < tile_tokens_; t += 32) {
      least = min(least, last_visible(token_ + t));
      most = max(most, last_visible(token_ + t));
    }
    least_ = __reduce_min_sync(0xFFFFFFFFU, least);
    const int32_t seen = (__reduce_max_sync(0xFFFFFFFFU, most) + kIndexSlots) / kIndexSlots;
    end_ = max(min(min(block_ + p.chunk, p.blocks), seen), block_);
  }

  __device__ void run() {
    if (threadIdx.x == 0) {
      ring_.init(2 * kGroupThreads / 32);
      init_barrier(queries_barrier(), 1);
      publish_barriers();
    }
    __syncthreads();
    if (threadIdx.x >= 2 * kGroupThreads) {
      if (threadIdx.x % 32 == 0) copy();
    } else {
      compute();
    }
    __syncthreads();
    write();
  }

 private:
  [[nodiscard]] __device__ uint32_t queries_barrier() const { return shared_address(&memory_.of_queries); }
  /// -1 where a token sees nothing, or there is no token.
  [[nodiscard]] __device__ int32_t last_visible(int32_t token) const {
    if (token >= p_.tokens) return -1;
    const int64_t position = *at<int64_t>(p_.positions, blockIdx.y, token);
    return static_cast<int32_t>(max(min(position, int64_t{p_.slots} - 1), int64_t{-1}));
  }

  __device__ void copy() {
    arrive_and_expect(queries_barrier(), Memory::kTileBytes);
    const auto batch = static_cast<int32_t>(blockIdx.y);
    for (int half = 0; half < kIndexWidth / 64; ++half)
      copy_box(shared_address(memory_.queries) + half * Memory::kBoxBytes, p_.q, {64 * half, 0, token_, batch},
               queries_barrier());
    for (int32_t block = block_; block < end_; ++block, ring_.go_on()) {
      const uint32_t barrier = ring_.begin_filling(Memory::kTileBytes);
      for (int half = 0; half < kIndexWidth / 64; ++half)
        copy_box(shared_address(memory_.stages[ring_.stage()]) + half * Memory::kBoxBytes, p_.k,
                 {64 * half, block * kIndexSlots, 0, batch}, barrier);
    }
  }

  __device__ void compute() {
    const auto lane = static_cast<int>(threadIdx.x % 32), row = static_cast<int>(threadIdx.x / 32) * 16 + lane / 4;
    const int32_t last[2]{last_visible(token_ + row / p_.heads), last_visible(token_ + (row + 8) / p_.heads)};
    wait(queries_barrier(), 0);
    for (int32_t block = block_; block < end_; ++block, ring_.go_on()) {
      float scores[kColumns][4];
      ring_.wait_until_full();
      multiply(scores, shared_address(memory_.stages[ring_.stage()]));
      __syncwarp();
      if (lane == 0) ring_.release();
      const bool whole = (block + 1) * kIndexSlots - 1 <= least_;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const float most =
            whole ? largest<true>(scores, i, 0, 0) : largest<false>(scores, i, block * kIndexSlots, last[i]);
        if (lane % 4 == 0) memory_.maxima[row + 8 * i][block - block_] = most;
      }
    }
  }

  __device__ void multiply(float (&scores)[kColumns][4], uint32_t keys) const {
    const uint32_t queries = shared_address(memory_.queries) + threadIdx.x / kGroupThreads * (kGroupRows * kBoxRow);
    const uint64_t left = rows_operand(queries), right = rows_operand(keys);
    hold(scores);
    begin_products();
#pragma unroll
    for (int d = 0; d < kIndexWidth / kGroupDepth; ++d) {
      const uint32_t at = d / 4 * Memory::kBoxBytes + d % 4 * 32;
      multiply_rows(scores, further(left, at), further(right, at), d > 0);
    }
    end_products();
    wait_for_products<0>();
    hold(scores);
  }

  /// Of one of the lane's rows, over the four lanes that share it. `first`: slot of the block.
  template <bool whole>
  __device__ float largest(const float (&scores)[kColumns][4], int row, int32_t first, int32_t last) const {
    float most = -INFINITY;
#pragma unroll
    for (int i = 0; i < 2 * kColumns; ++i) {
      const int32_t slot = first + i / 2 * 8 + static_cast<int32_t>(threadIdx.x % 4) * 2 + i % 2;
      const float score = row == 0 ? scores[i / 2][i % 2] : scores[i / 2][2 + i % 2];
      if (whole || slot <= last) most = larger(most, score * p_.scale);
    }
    most = larger(most, __shfl_xor_sync(0xFFFFFFFFU, most, 1));
    return larger(most, __shfl_xor_sync(0xFFFFFFFFU, most, 2));
  }

  /// What no token of the tile sees is -infinity. Key blocks are neighbours.
  __device__ void write() const {
    const int32_t heads = p_.per_group ? p_.heads : 1, pooled = p_.heads / heads;
    const int32_t count = min(p_.chunk, p_.blocks - block_);
    for (int32_t i = static_cast<int32_t>(threadIdx.x); i < tile_tokens_ * heads * count; i += blockDim.x) {
      const int32_t block = i % count, head = i / count % heads, t = i / count / heads;
      if (token_ + t >= p_.tokens) continue;
      float most = -INFINITY;
      for (int32_t x = 0; x < pooled && block_ + block < end_; ++x)
        most = larger(most, memory_.maxima[t * p_.heads + head * pooled + x][block]);
      const Operand<2> out = slice<float>(slice<float>(p_.out, blockIdx.y), head);
      *at<float>(out, token_ + t, block_ + block) = most;
    }
  }

  const IndexSm90Parameters& p_;
  Memory& memory_;
  Ring<kIndexStages> ring_;
  int32_t tile_tokens_, token_, block_, end_;  // of the tile: key blocks [block_, end_) are seen
  int32_t least_;                              // slot that every token of the tile sees
};

}  // namespace parity::optimized::cuda
