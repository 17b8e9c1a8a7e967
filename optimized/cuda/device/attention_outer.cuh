// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A key block with the tokens that chose it: it stays in shared memory while tiles of their rows come by.
#pragma once

#include "optimized/cuda/device/attention_block.cuh"
#include "optimized/cuda/device/attention_overlap.cuh"

namespace parity::optimized::cuda {

using OuterShape = AttentionShape<Bf16, 128, kOuterRows / kFragmentRows>;

class OuterAttention {
 public:
  using Shape = OuterShape;

  /// `memory`: two tiles of queries, one of which is under way; then keys and values of each part of the key block.
  __device__ OuterAttention(const AttentionOuterParameters& given, const AttentionPlace& place, int32_t block,
                            Bf16* memory, const OuterQueue& queue)
      : given_(given), p_(given.of), place_(place), queue_(queue), block_(block), memory_(memory) {}

  __device__ void run() {
    for (int32_t part = 0; part < p_.parts; ++part) load_tile<Bf16, Shape>(p_, place_, tile(part), keys(part));
    const int32_t tokens = Shape::kRows / p_.heads;
    load_queries(0, 0);
    for (int32_t first = 0, turn = 0; first < queue_.count; first += tokens, turn ^= 1) {
      wait_for_copies<0>();
      __syncthreads();  // the queries are there, and nobody reads those of the tile before
      if (first + tokens < queue_.count) load_queries(first + tokens, turn ^ 1);
      attend_rows(first, turn);
    }
  }

 private:
  [[nodiscard]] __device__ AttentionTile tile(int32_t part) const {
    return attention_tile<Shape::kKeys>(p_, block_ * p_.parts + part);
  }
  [[nodiscard]] __device__ Bf16* queries(int32_t turn) const { return memory_ + turn * Shape::kRows * Shape::kStride; }
  [[nodiscard]] __device__ Bf16* keys(int32_t part) const { return queries(2) + part * 2 * Shape::kTile; }
  /// The row of the call that is a row of a tile, p.rows where there is none. `first`: of the tile, in the queue.
  [[nodiscard]] __device__ int64_t row_at(int32_t first, int row) const {
    const int32_t i = first + row / p_.heads;
    return i < queue_.count ? (given_.first_token + queue_.token[i]) * p_.heads + row % p_.heads : p_.rows;
  }
  [[nodiscard]] __device__ int64_t part_at(int32_t first, int row) const {
    const int32_t i = first + row / p_.heads;
    if (i >= queue_.count) return -1;
    const int64_t part = int64_t{queue_.part[i]} * p_.sequences + place_.sequence;
    return (part * given_.tokens + queue_.token[i]) * p_.heads + row % p_.heads;
  }

  __device__ void load_queries(int32_t first, int32_t turn) const {
    load_rows<Shape>(p_, queries(turn), Shape::kRows, p_.q.stride[3],
                     [&](int row) { return query_row<Bf16>(p_, place_, row_at(first, row)); });
    commit_copies();
  }

  __device__ void attend_rows(int32_t first, int32_t turn) const {
    const int warp_row = static_cast<int>(threadIdx.x) / kWarp * kFragmentRows;
    if (first + warp_row / p_.heads >= queue_.count) return;
    AttentionSight<Shape::kKeys> sight(p_, place_, [&](int row) { return row_at(first, warp_row + row); });
    RunningSoftmax<Shape> softmax;
    for (int32_t part = 0; part < p_.parts; ++part) {
      if (sight.look(tile(part))) add_tile(p_, softmax, sight, queries(turn) + warp_row * Shape::kStride, keys(part));
    }
    join_totals(softmax);
    write_part({given_.mixtures, given_.statistics}, p_.width, softmax, sight.seeing(),
               [&](int row) { return part_at(first, warp_row + row); });
  }

  const AttentionOuterParameters& given_;
  const AttentionParameters& p_;
  const AttentionPlace& place_;
  const OuterQueue& queue_;
  int32_t block_;
  Bf16* memory_;
};

/// blockIdx: key block and sequence, piece of the window.
__device__ inline void attend_outer(const AttentionOuterParameters& given) {
  extern __shared__ uint4 outer_memory[];
  __shared__ OuterQueue queue;
  const auto block = static_cast<int32_t>(blockIdx.x % given.key_blocks),
             sequence = static_cast<int32_t>(blockIdx.x / given.key_blocks);
  const AttentionPlace place{0, sequence / given.of.groups, sequence % given.of.groups, sequence, 0};
  queue.fill(given, place, block, static_cast<int32_t>(blockIdx.y));
  if (queue.count == 0) return;
  OuterAttention(given, place, block, reinterpret_cast<Bf16*>(outer_memory), queue).run();
}

/// A block for each row of the window. A key block that a list names twice has one part.
__device__ inline void join_outer(const AttentionOuterParameters& given) {
  __shared__ bool there[kMostListed];
  const AttentionParameters& p = given.of;
  const int64_t rows = given.tokens * p.heads, of_window = blockIdx.x % rows;
  const auto sequence = static_cast<int32_t>(blockIdx.x / rows);
  const int64_t row = given.first_token * p.heads + of_window;
  if (!by_key_block(p, sequence, row)) return;
  const AttentionPlace place{row, sequence / p.groups, sequence % p.groups, sequence, 0};
  for (int32_t t = threadIdx.x; t < p.list_length; t += blockDim.x) {
    const int32_t block = listed_block(p, place, row / p.heads, t);
    there[t] = block != kNoTile && place_in_list(p, place, row / p.heads, block) == t;
  }
  __syncthreads();
  join_parts<Bf16>(p, place, {given.mixtures, given.statistics}, p.list_length, [&](int32_t t) {
    return there[t] ? (int64_t{t} * p.sequences + sequence) * rows + of_window : int64_t{-1};
  });
}

}  // namespace parity::optimized::cuda
