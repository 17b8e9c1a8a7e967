// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The product of 128 rows with a tile of weight rows for compute capability 9.0: one warp copies stages of 64 channels, two
// warpgroups multiply 64 rows each.
#pragma once

#include "optimized/cuda/device/bias.cuh"
#include "optimized/cuda/device/mbarrier.cuh"
#include "optimized/cuda/device/product_store.cuh"
#include "optimized/cuda/device/staged_rows.cuh"
#include "optimized/cuda/device/tensor_copy.cuh"
#include "optimized/cuda/device/wgmma.cuh"

namespace parity::optimized::cuda {

constexpr int kGroupChannels = 64;  // of a stage
constexpr int kGroupTileRows = 2 * kGroupRows;

template <int columns>
struct GroupTile {
  static constexpr int kColumns = columns, kStages = 4;
  static constexpr int kLeftBytes = kGroupTileRows * kBoxRow, kStageBytes = kLeftBytes + columns * kBoxRow;

  /// Dynamic shared memory. Stages, later the bf16 results of the warps, 16 bytes between rows.
  struct Memory {
    alignas(kSwizzled) char stages[kStages][kStageBytes];
    uint64_t of_ring[2 * kStages];
  };
};

/// `sums` of the warpgroup's rows. A stage is given back when the products after it are under way.
template <class Tile>
__device__ void add_stages(float (&sums)[Tile::kColumns / 8][4], const typename Tile::Memory& memory, int64_t stages) {
  const uint32_t barriers = shared_address(memory.of_ring);
  Ring<Tile::kStages> ring(barriers), done(barriers);
  const uint32_t group = threadIdx.x / kGroupThreads;
  const bool speaks = threadIdx.x % 32 == 0;
  hold(sums);
  for (int64_t i = 0; i < stages; ++i) {
    ring.wait_until_full();
    const uint32_t stage = shared_address(memory.stages[ring.stage()]);
    const uint64_t left = rows_operand(stage + group * (Tile::kLeftBytes / 2));
    const uint64_t right = rows_operand(stage + Tile::kLeftBytes);
    begin_products();
#pragma unroll
    for (int k = 0; k < kGroupChannels / kGroupDepth; ++k)
      multiply_rows(sums, further(left, 32 * k), further(right, 32 * k), i > 0 || k > 0);
    end_products();
    ring.go_on();
    if (i == 0) continue;
    wait_for_products<1>();
    if (speaks) done.release();
    done.go_on();
  }
  wait_for_products<0>();
  hold(sums);
}

/// A warp's rows of bf16, the first of which is n, f.
template <class Tile>
__device__ void store_rows(const ProductOperands& p, const float (&sums)[Tile::kColumns / 8][4], int64_t n, int64_t f,
                           const StagedRows<Tile::kColumns>& staged) {
  const auto result = [&](int64_t column, float sum) { return column < p.rows ? biased(p, column, sum) : 0.0F; };
  staged.fill([&](int column, int j, int half) {
    return packed(result(f + column, sums[j][2 * half]), result(f + column + 1, sums[j][2 * half + 1]));
  });
  staged.write(p.rows - f, [&](int row) {
    Bf16* const out = static_cast<Bf16*>(p.out.at.data) + (n + row) * p.out.at.stride[0] + f;
    return n + row < p.tokens ? out : nullptr;
  });
}

/// blockIdx: tile of tokens, tile of the weight's rows, piece of the channels.
template <class Tile>
__device__ void group_product(const ProductOperands& p, const TensorMap& x, const TensorMap& weight,
                              typename Tile::Memory& memory) {
  const int64_t n = static_cast<int64_t>(blockIdx.x) * kGroupTileRows, f = int64_t{blockIdx.y} * Tile::kColumns;
  const int64_t first = blockIdx.z * p.piece, last = min(first + p.piece, p.width);
  const int64_t stages = (last - first + kGroupChannels - 1) / kGroupChannels;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  Ring<Tile::kStages> ring(shared_address(memory.of_ring));
  if (threadIdx.x == 0) ring.init(2 * kGroupThreads / 32);
  __syncthreads();
  if (warp == 2 * kGroupThreads / 32) {
    for (int64_t i = 0; i < stages && threadIdx.x % 32 == 0; ++i, ring.go_on()) {
      const auto channel = static_cast<int32_t>(first + i * kGroupChannels);
      const uint32_t barrier = ring.begin_filling(Tile::kStageBytes);
      const uint32_t stage = shared_address(memory.stages[ring.stage()]);
      copy_box(stage, x, {channel, static_cast<int32_t>(n), 0, 0}, barrier);
      copy_box(stage + Tile::kLeftBytes, weight, {channel, static_cast<int32_t>(f), 0, 0}, barrier);
    }
    return;
  }
  float sums[Tile::kColumns / 8][4]{};
  add_stages<Tile>(sums, memory, stages);
  if (p.partial == nullptr && p.out.vectors != 0 && p.out.element == Element::bf16) {
    using Staged = StagedRows<Tile::kColumns>;
    static_assert(8 * Staged::kElements * sizeof(Bf16) <= sizeof memory.stages);
    asm volatile("bar.sync 1, %0;" ::"n"(2 * kGroupThreads) : "memory");  // nobody multiplies any more
    return store_rows<Tile>(p, sums, n + 16 * warp, f,
                            Staged(reinterpret_cast<Bf16*>(memory.stages) + warp * Staged::kElements));
  }
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = 0; i < Tile::kColumns / 4; ++i) {
    const int64_t row = n + 16 * warp + lane / 4 + i % 2 * 8, column = f + i / 2 * 8 + lane % 4 * 2;
    if (row < p.tokens && column < p.rows)
      store_pair(p, row, column, sums[i / 2][i % 2 * 2], sums[i / 2][i % 2 * 2 + 1]);
  }
}

}  // namespace parity::optimized::cuda
