// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Slots are put in the order of their experts: counted in chunks, summed over chunks, placed. Each step writes what the next reads,
// and equal experts keep the order of their slots: no result depends on which block was first.
#pragma once

#include "optimized/cuda/device/any.cuh"
#include "optimized/cuda/experts/routed.hpp"

namespace parity::optimized::cuda {

/// The expert of a slot, or -1.
__device__ inline int32_t expert_of(const Routed& r, int64_t slot) {
  if (slot >= r.count) return -1;
  const Operand<2>& at = r.indices.at;
  const int64_t id =
      static_cast<const int64_t*>(at.data)[slot / r.slots * at.stride[0] + slot % r.slots * at.stride[1]];
  return id >= 0 && id < r.experts ? static_cast<int32_t>(id) : -1;
}

/// A block for each chunk.
__device__ inline void count_slots(const Routed& r) {
  __shared__ int32_t experts[kChunk];
  const int thread = static_cast<int>(threadIdx.x);
  const int64_t slot = static_cast<int64_t>(blockIdx.x) * kChunk + thread;
  int32_t* counts = r.counts + static_cast<int64_t>(blockIdx.x) * r.experts;
  for (int e = thread; e < r.experts; e += kChunk) counts[e] = 0;
  const int32_t expert = expert_of(r, slot);
  experts[thread] = expert;
  __syncthreads();
  if (expert < 0) return;
  int32_t before = 0, after = 0;
  for (int i = 0; i < kChunk; ++i) {
    before += static_cast<int32_t>(experts[i] == expert && i < thread);
    after += static_cast<int32_t>(experts[i] == expert && i > thread);
  }
  r.ranks[slot] = before;
  if (after == 0) counts[expert] = before + 1;  // the last one knows them all
}

/// One warp's part: totals of the experts, which lie one place up, become sums of those before.
__device__ inline void sum_experts(const Routed& r) {
  const int lane = static_cast<int>(threadIdx.x);
  int32_t positions = 0, tiles = 0;
  for (int first = 0; first < r.experts; first += 32) {
    const int e = first + lane;
    int32_t slots = e < r.experts ? r.first_position[e + 1] : 0;
    int32_t parts = (slots + r.tile_rows - 1) / r.tile_rows;
    for (int distance = 1; distance < 32; distance *= 2) {
      const int32_t more_slots = __shfl_up_sync(0xFFFFFFFFU, slots, distance);
      const int32_t more_parts = __shfl_up_sync(0xFFFFFFFFU, parts, distance);
      slots += lane >= distance ? more_slots : 0;
      parts += lane >= distance ? more_parts : 0;
    }
    if (e < r.experts) {
      r.first_position[e + 1] = positions + slots;
      r.first_tile[e + 1] = tiles + parts;
    }
    positions += __shfl_sync(0xFFFFFFFFU, slots, 31);
    tiles += __shfl_sync(0xFFFFFFFFU, parts, 31);
  }
}

/// One block.
__device__ inline void scan_slots(const Routed& r) {
  for (int e = static_cast<int>(threadIdx.x); e < r.experts; e += static_cast<int>(blockDim.x)) {
    int32_t total = 0;
    for (int64_t chunk = 0; chunk < r.chunks; ++chunk) {
      int32_t& count = r.counts[chunk * r.experts + e];
      const int32_t here = count;
      count = total;
      total += here;
    }
    r.first_position[e + 1] = total;
  }
  if (threadIdx.x == 0) r.first_position[0] = r.first_tile[0] = 0;
  __syncthreads();
  if (threadIdx.x < 32) sum_experts(r);
}

/// A block for each chunk.
__device__ inline void place_slots(const Routed& r) {
  const int64_t slot = static_cast<int64_t>(blockIdx.x) * kChunk + threadIdx.x;
  if (slot >= r.count) return;
  const int32_t expert = expert_of(r, slot);
  int32_t position = -1;
  if (expert >= 0) {
    position =
        r.first_position[expert] + r.counts[static_cast<int64_t>(blockIdx.x) * r.experts + expert] + r.ranks[slot];
    r.slot_at[position] = static_cast<int32_t>(slot);
  }
  r.position_of[slot] = position;
}

/// Positions of one expert in a tile; none when the tile is beyond the last.
struct ExpertTile {
  int32_t expert, first, last;
};

__device__ inline ExpertTile tile_at(const Routed& r, int32_t tile) {
  if (tile >= r.first_tile[r.experts]) return {0, 0, 0};
  int32_t low = 0, high = r.experts;  // first_tile[low] <= tile < first_tile[high]
  while (high - low > 1) {
    const int32_t middle = (low + high) / 2;
    (r.first_tile[middle] <= tile ? low : high) = middle;
  }
  return {low, r.first_position[low] + (tile - r.first_tile[low]) * r.tile_rows, r.first_position[low + 1]};
}

}  // namespace parity::optimized::cuda
