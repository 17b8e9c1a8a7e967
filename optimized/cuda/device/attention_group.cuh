// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Attention for compute capability 9.0: a block has one warp that copies tiles of keys and values, and two warpgroups that
// compute with 64 rows each. A warpgroup passes by tiles that none of its tokens asks for.
#pragma once

#include "optimized/cuda/attention/attention_sm90.hpp"
#include "optimized/cuda/device/attention_result.cuh"
#include "optimized/cuda/device/attention_union.cuh"
#include "optimized/cuda/device/mbarrier.cuh"
#include "optimized/cuda/device/tensor_copy.cuh"
#include "optimized/cuda/device/wgmma.cuh"

namespace parity::optimized::cuda {

/// `width`: 64 or 128 channels; a box holds 64 of them.
template <int width>
struct GroupShape : AttentionShape<Bf16, width, 8> {
  static_assert(width % 64 == 0 && AttentionShape<Bf16, width, 8>::kRows == kUnionRows);
  static constexpr int kHalves = width / 64, kBoxBytes = 64 * kBoxRow, kTileBytes = kHalves * kBoxBytes;
};

/// Dynamic shared memory. The queries of a warpgroup, later its rows of the output, which are laid out wider.
template <int width>
struct GroupMemory {
  static constexpr int kStages = kUnionStages;
  alignas(kSwizzled) Bf16 queries[2][union_query_bytes(width) / 2];
  alignas(kSwizzled) char stages[kStages][2 * GroupShape<width>::kTileBytes];
  uint64_t of_ring[2 * kStages], of_queries;
  BlockUnion blocks;
};

template <int width>
class GroupAttention {
 public:
  using Shape = GroupShape<width>;
  using Memory = GroupMemory<width>;

  __device__ GroupAttention(const AttentionSm90Parameters& given, const AttentionPlace& place, Memory& memory)
      : given_(given),
        p_(given.of),
        memory_(memory),
        place_(place),
        ring_(shared_address(memory.of_ring)),
        walk_(given.of, place, Shape::kRows, memory.blocks) {}

  __device__ void run() {
    const int group = static_cast<int>(threadIdx.x) / kGroupThreads;
    if (threadIdx.x == 0) {
      ring_.init(2 * kGroupThreads / kWarp);
      init_barrier(queries_barrier(), 1);
      publish_barriers();
    }
    if (group == 2) {
      walk_.fill(0);
      copy_all();
    } else {
      compute(group);
    }
  }

 private:
  [[nodiscard]] __device__ uint32_t queries_barrier() const { return shared_address(&memory_.of_queries); }

  /// Twice where numbers turn out not to be finite.
  __device__ void copy_all() {
    if (threadIdx.x % kWarp == 0) {
      copy_queries();
      copy_tiles();
    }
    __syncwarp();
    if (__syncthreads_or(0) != 0 && threadIdx.x % kWarp == 0) copy_tiles();
  }

  /// Rows (token, head) of both warpgroups.
  __device__ void copy_queries() {
    arrive_and_expect(queries_barrier(), 2 * Shape::kTileBytes);
    for (int group = 0; group < 2; ++group) {
      const int64_t row = place_.first + group * kGroupRows;
      const auto head = static_cast<int32_t>(place_.group * p_.heads + row % p_.heads);
      for (int half = 0; half < Shape::kHalves; ++half)
        copy_box(shared_address(memory_.queries[group]) + half * Shape::kBoxBytes, given_.q,
                 {64 * half, head, static_cast<int32_t>(row / p_.heads), place_.batch}, queries_barrier());
    }
  }

  __device__ void copy_tiles() {
    for (int32_t unit = walk_.begin(); !walk_.ends_at(unit); unit = walk_.after(unit)) {
      if (!walk_.asked(unit)) continue;
      const int32_t first = attention_tile<kUnionKeys>(p_, walk_.number(unit)).first;
      const uint32_t barrier = ring_.begin_filling(2 * Shape::kTileBytes);
      const uint32_t stage = shared_address(memory_.stages[ring_.stage()]);
      for (int half = 0; half < Shape::kHalves; ++half) {
        const BoxStart from{64 * half, first, place_.group, place_.batch};
        copy_box(stage + half * Shape::kBoxBytes, given_.k, from, barrier);
        copy_box(stage + Shape::kTileBytes + half * Shape::kBoxBytes, given_.v, from, barrier);
      }
      ring_.go_on();
    }
  }

  __device__ void compute(int group) {
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    const int64_t first = place_.first + group * kGroupRows;
    AttentionSight<Shape::kKeys> sight(p_, place_, first, kGroupRows, warp % 4);
    walk_.fill(sight.end());
    wait(queries_barrier(), 0);
    RunningSoftmax<Shape> softmax;
    add_tiles<false>(softmax, sight, group);
    if (__syncthreads_or(static_cast<int>(!finite(softmax))) != 0) {
      softmax = {};
      add_tiles<true>(softmax, sight, group);
    }
    meet(group);  // before rows are staged where the other warps' queries were
    finish(softmax, sight.seeing(), place_.first + warp * kFragmentRows,
           memory_.queries[group] + warp % 4 * kFragmentRows * Shape::kStride);
  }

  /// The four warps of a warpgroup.
  __device__ static void meet(int group) {
    if (group == 0)
      asm volatile("bar.sync 1, %0;" ::"n"(kGroupThreads) : "memory");
    else
      asm volatile("bar.sync 2, %0;" ::"n"(kGroupThreads) : "memory");
  }

  /// Products of numbers that are not finite with weights of 0 are none of a row's business: then it is done again, with
  /// care, value by value.
  __device__ static bool finite(const RunningSoftmax<Shape>& softmax) {
    bool all = true;
#pragma unroll
    for (int i = 0; i < 4 * Shape::kChannels; ++i) all = all && isfinite(softmax.mixed[i / 4][i % 4]);
    return all;
  }

  template <bool careful>
  __device__ void add_tiles(RunningSoftmax<Shape>& softmax, AttentionSight<Shape::kKeys>& sight, int group) {
    const uint64_t own = own_tokens(group);
    for (int32_t unit = walk_.begin(); !walk_.ends_at(unit); unit = walk_.after(unit)) {
      if (!walk_.asked(unit)) continue;
      ring_.wait_until_full();
      const uint64_t tokens = walk_.tokens(unit);
      if ((tokens & own) != 0 && !sight.ends_at(walk_.number(unit))) {  // alike in the four warps
        sight.list(walk_.first_token(), tokens);
        add_tile<careful>(softmax, sight, attention_tile<kUnionKeys>(p_, walk_.number(unit)), group);
      }
      __syncwarp();
      if (threadIdx.x % kWarp == 0) ring_.release();
      ring_.go_on();
    }
  }

  /// Bit i: token i of the block's rows has rows in this warpgroup. Without lists all tokens ask for all tiles.
  [[nodiscard]] __device__ uint64_t own_tokens(int group) const {
    if (p_.lists.data == nullptr) return ~uint64_t{0};
    const int64_t first = place_.first + group * kGroupRows, last = min(first + kGroupRows, p_.rows) - 1;
    if (first > last) return 0;
    const auto from = static_cast<int32_t>(first / p_.heads - walk_.first_token());
    const auto to = static_cast<int32_t>(last / p_.heads - walk_.first_token());
    return low_bits(to + 1) & ~low_bits(from);
  }

  template <bool careful>
  __device__ void add_tile(RunningSoftmax<Shape>& softmax, AttentionSight<Shape::kKeys>& sight,
                           const AttentionTile& tile, int group) {
    const char* const stage = memory_.stages[ring_.stage()];
    float scores[Shape::kColumns][4];
    begin_scores(scores, group, shared_address(stage));
    sight.look(tile);
    wait_for_products<0>();
    hold(scores);
    if (!sight.sees_all()) hide_unseen<Shape>(scores, sight);
    weigh<Shape>(softmax, scores, p_.exponent);
    if constexpr (careful) {
      const auto* const values = reinterpret_cast<const Bf16*>(stage + Shape::kTileBytes);
      const auto value = [=](int slot, int channel) {
        return widen(values[channel / 64 * (Shape::kBoxBytes / 2) + box_place(slot, channel % 64)]);
      };
      add_seen_values<Shape>(softmax.mixed, scores, value, sight);
    } else {
      add_values(softmax.mixed, scores, shared_address(stage) + Shape::kTileBytes);
    }
  }

  __device__ void begin_scores(float (&scores)[Shape::kColumns][4], int group, uint32_t keys) {
    const uint64_t left = rows_operand(shared_address(memory_.queries[group])), right = rows_operand(keys);
    hold(scores);
    begin_products();
#pragma unroll
    for (int d = 0; d < width / kGroupDepth; ++d) {
      const uint32_t at = d / 4 * Shape::kBoxBytes + d % 4 * 32;
      multiply_rows(scores, further(left, at), further(right, at), d > 0);
    }
    end_products();
  }

  __device__ static void add_values(float (&mixed)[Shape::kChannels][4], const float (&weights)[Shape::kColumns][4],
                                    uint32_t values) {
    uint32_t rounded[Shape::kColumns / 2][4];
#pragma unroll
    for (int j = 0; j < 2 * Shape::kColumns; ++j) {
      rounded[j / 4][j % 4] = packed(weights[j / 2][j % 2 * 2], weights[j / 2][j % 2 * 2 + 1]);
      asm volatile("" : "+r"(rounded[j / 4][j % 4])::"memory");  // before the products, which wait for nothing
    }
    const uint64_t right = columns_operand(values, Shape::kBoxBytes);
    hold(mixed);
    begin_products();
#pragma unroll
    for (int j = 0; j < Shape::kColumns / 2; ++j)
      add_columns(mixed, rounded[j], further(right, j * kGroupDepth * kBoxRow));
    end_products();
    wait_for_products<0>();
    hold(mixed);
  }

  /// `first`: of the warp's rows.
  __device__ void finish(RunningSoftmax<Shape>& softmax, uint32_t seeing, int64_t first, Bf16* staged) const {
    join_totals(softmax);
    if (p_.splits > 1) return write_own_part(p_, place_, softmax, first, seeing);
    write_rows<Shape>(p_, place_, softmax, first, seeing, staged);
    if (first < p_.rows) write_blind_rows<Bf16>(p_, place_, first, seeing);
  }

  const AttentionSm90Parameters& given_;
  const AttentionParameters& p_;
  Memory& memory_;
  const AttentionPlace& place_;
  Ring<Memory::kStages> ring_;
  UnionWalk walk_;
};

}  // namespace parity::optimized::cuda
