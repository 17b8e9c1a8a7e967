// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The two products of routed experts for compute capability 9.0: a block has 128 positions of one expert and 256 rows of its
// weight, and a warpgroup 64 of the positions.
#pragma once

#include "optimized/cuda/device/expert_results.cuh"
#include "optimized/cuda/device/group_product.cuh"
#include "optimized/cuda/device/routing.cuh"
#include "optimized/cuda/experts/moe_experts_sm90.hpp"

namespace parity::optimized::cuda {

using ExpertShape = GroupTile<2 * kExpertBoxRows>;
using ExpertSums = float[ExpertShape::kColumns / 8][4];

/// A block's positions, and its turn among the tiles of rows of the expert's weight.
struct ExpertBlock {
  ExpertTile tile;
  int32_t turn;
};

/// `across`: tiles of rows of a weight. Blocks that run at the same time have few of them: an expert's positions all meet
/// one tile, then the next.
__device__ inline ExpertBlock expert_block(const Routed& r, int32_t across) {
  const auto block = static_cast<int32_t>(blockIdx.x);
  ExpertTile tile = tile_at(r, block / across);
  if (tile.first >= tile.last) return {tile, 0};
  const int32_t first = r.first_tile[tile.expert], tiles = r.first_tile[tile.expert + 1] - first;
  const int32_t of_expert = block - first * across;
  tile.first = r.first_position[tile.expert] + of_expert % tiles * r.tile_rows;
  return {tile, of_expert / tiles};
}

/// What the copying warp is given: rows of a weight from `first` and from `second` on.
struct ExpertCopies {
  const TensorMap &positions, *weight;
  int32_t first, second;
};

/// Copies, or makes the sums of the warpgroup's rows. False in warps that have none to store.
__device__ inline bool multiply_expert(ExpertSums& sums, ExpertShape::Memory& memory, const ExpertTile& tile,
                                       const ExpertCopies& of, int64_t width) {
  const int64_t stages = (width + kGroupChannels - 1) / kGroupChannels;
  const int groups = tile.last - tile.first > kGroupRows ? 2 : 1, group = static_cast<int>(threadIdx.x) / kGroupThreads;
  Ring<ExpertShape::kStages> ring(shared_address(memory.of_ring));
  if (threadIdx.x == 0) ring.init(groups * kGroupThreads / 32);
  __syncthreads();
  if (group == 2) {
    if (threadIdx.x % 32 != 0) return false;
    acquire_map(of.weight);
    const uint32_t half = ExpertShape::kLeftBytes / 2, bytes = groups * half + 2 * kExpertBoxRows * kBoxRow;
    for (int64_t i = 0; i < stages; ++i, ring.go_on()) {
      const auto channel = static_cast<int32_t>(i * kGroupChannels);
      const uint32_t barrier = ring.begin_filling(bytes), stage = shared_address(memory.stages[ring.stage()]);
      for (int g = 0; g < groups; ++g)
        copy_box(stage + g * half, of.positions, {channel, tile.first + g * kGroupRows, 0, 0}, barrier);
      const uint32_t rows = stage + ExpertShape::kLeftBytes;
      copy_box(rows, *of.weight, {channel, of.first, 0, 0}, barrier);
      copy_box(rows + kExpertBoxRows * kBoxRow, *of.weight, {channel, of.second, 0, 0}, barrier);
    }
    return false;
  }
  if (group >= groups) return false;
  add_stages<ExpertShape>(sums, memory, stages);
  asm volatile("bar.sync 1, %0;" ::"r"(groups * kGroupThreads) : "memory");  // nobody multiplies any more
  return true;
}

template <int columns>
__device__ StagedRows<columns> staged_rows(ExpertShape::Memory& memory) {
  using Staged = StagedRows<columns>;
  static_assert(8 * Staged::kElements * sizeof(Bf16) <= sizeof memory.stages);
  return Staged(reinterpret_cast<Bf16*>(memory.stages) + threadIdx.x / 32 * Staged::kElements);
}

/// Where a row of a tensor of slots begins that only some callers ask for.
__device__ inline Bf16* asked_row(void* slots, int64_t slot, int64_t width) {
  return slots == nullptr ? nullptr : static_cast<Bf16*>(slots) + slot * width;
}

/// Half of the rows are of the gate, the others the rows of the linear half that belong to them: a thread has both sums.
__device__ inline void activate_group(const ExpertsSm90Parameters& given, ExpertShape::Memory& memory) {
  const ExpertsParameters& p = given.of;
  const auto across = static_cast<int32_t>((p.inner + kExpertBoxRows - 1) / kExpertBoxRows);
  const ExpertBlock block = expert_block(p.routed, across);
  const ExpertTile& tile = block.tile;
  if (tile.first >= tile.last) return;
  const int32_t f = block.turn * kExpertBoxRows;
  ExpertSums sums{};
  const ExpertCopies copies{given.x, given.gate_up + tile.expert, f, static_cast<int32_t>(p.inner) + f};
  if (!multiply_expert(sums, memory, tile, copies, p.width)) return;
  const auto staged = staged_rows<kExpertBoxRows>(memory);
  staged.fill([&](int, int j, int half) {
    constexpr int kUp = kExpertBoxRows / 8;
    return packed(activated<Bf16>(p, sums[j][2 * half], sums[j + kUp][2 * half]),
                  activated<Bf16>(p, sums[j][2 * half + 1], sums[j + kUp][2 * half + 1]));
  });
  const int64_t first = tile.first + static_cast<int64_t>(threadIdx.x) / 32 * 16;
  const auto inside = [&](int row) { return first + row < tile.last; };
  staged.write(p.inner - f, [&](int row) {
    return inside(row) ? static_cast<Bf16*>(p.active) + (first + row) * p.inner + f : nullptr;
  });
  if (p.slot_activation == nullptr) return;
  staged.write(p.inner - f, [&](int row) {
    return inside(row) ? asked_row(p.slot_activation, p.routed.slot_at[first + row], p.inner) + f : nullptr;
  });
}

/// What each slot adds to its token, before the sum.
__device__ inline void weigh_group(const ExpertsSm90Parameters& given, ExpertShape::Memory& memory) {
  const ExpertsParameters& p = given.of;
  const auto across = static_cast<int32_t>((p.width + ExpertShape::kColumns - 1) / ExpertShape::kColumns);
  const ExpertBlock block = expert_block(p.routed, across);
  const ExpertTile& tile = block.tile;
  if (tile.first >= tile.last) return;
  const int32_t h = block.turn * ExpertShape::kColumns;
  ExpertSums sums{};
  const ExpertCopies copies{given.active, given.down + tile.expert, h, h + kExpertBoxRows};
  if (!multiply_expert(sums, memory, tile, copies, p.inner)) return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int64_t first = tile.first + static_cast<int64_t>(threadIdx.x) / 32 * 16;
  int32_t slot[2];
  float factor[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int64_t position = first + lane / 4 + 8 * half;
    slot[half] = position < tile.last ? p.routed.slot_at[position] : -1;
    factor[half] = slot[half] < 0 ? 0.0F : factor_of(p, slot[half]);
  }
  const auto staged = staged_rows<ExpertShape::kColumns>(memory);
  staged.fill([&](int column, int j, int half) {
    const float low = __fmul_rn(rounded<Bf16>(sums[j][2 * half], p.rounds_down), factor[half]);
    const float high = __fmul_rn(rounded<Bf16>(sums[j][2 * half + 1], p.rounds_down), factor[half]);
    if (p.slot_weighted != nullptr && slot[half] >= 0 && h + column < p.width) {  // of even width
      float* const to = p.slot_weighted + slot[half] * p.width + h + column;
      to[0] = low;
      to[1] = high;
    }
    return packed(low, high);
  });
  staged.write(p.width - h, [&](int row) {
    return first + row < tile.last ? static_cast<Bf16*>(p.addends) + (first + row) * p.width + h : nullptr;
  });
}

/// A block for each position: its token's row. Positions of no slot are zeros, here and among the activations, because boxes
/// of the last positions are copied whole.
__device__ inline void gather_row(const ExpertsSm90Parameters& given) {
  const ExpertsParameters& p = given.of;
  const int64_t position = blockIdx.x;
  const bool placed = position < p.routed.first_position[p.routed.experts];
  const auto* from =
      placed ? static_cast<const uint4*>(row_of(p.x, p.routed.slot_at[position] / p.routed.slots)) : nullptr;
  const int64_t pieces = p.width / kVector<Bf16>, of_inner = p.inner / kVector<Bf16>;
  uint4* const to = static_cast<uint4*>(given.gathered) + position * pieces;
  for (int64_t i = threadIdx.x; i < pieces; i += blockDim.x) to[i] = placed ? from[i] : make_uint4(0, 0, 0, 0);
  if (placed) return;
  uint4* const active = static_cast<uint4*>(p.active) + position * of_inner;
  for (int64_t i = threadIdx.x; i < of_inner; i += blockDim.x) active[i] = make_uint4(0, 0, 0, 0);
}

}  // namespace parity::optimized::cuda
