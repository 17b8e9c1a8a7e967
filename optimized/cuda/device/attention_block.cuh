// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A block of attention. It goes through the tiles of keys that at least one of its rows sees; while one tile is used,
// the next is copied.
#pragma once

#include "optimized/cuda/device/attention_result.cuh"

namespace parity::optimized::cuda {

template <class T, class Shape>
__device__ void load_tile(const AttentionParameters& p, const AttentionPlace& place, const AttentionTile& tile,
                          T* keys) {
  const auto load = [&](T* target, const Operand<4>& x) {
    load_keys<Shape>(p, target, x, static_cast<const T*>(at<T>(x, place.batch, place.group, tile.first)), tile.count);
  };
  load(keys, p.k);
  load(keys + Shape::kTile, p.v);
}

/// A tile of keys, and the values after them, for the 16 rows of a warp, which have looked at it.
template <class Shape, class T>
__device__ void add_tile(const AttentionParameters& p, RunningSoftmax<Shape>& softmax,
                         const AttentionSight<Shape::kKeys>& sight, const T* queries, const T* keys) {
  float scores[Shape::kColumns][4]{};
  multiply_keys<Shape>(scores, queries, keys);
  const bool whole = sight.sees_all();
  if (!whole) hide_unseen<Shape>(scores, sight);
  weigh<Shape>(softmax, scores, p.exponent);
  add_values<Shape>(softmax.mixed, scores, keys + Shape::kTile, sight, whole);
}

/// Finds the next tile that any warp of the block needs. All threads call ask() and next() in turn.
template <class Shape>
class AttentionWalk {
 public:
  __device__ AttentionWalk(const AttentionParameters& p, AttentionSight<Shape::kKeys>& sight) : p_(p), sight_(sight) {}

  /// Called before the barrier: notes the tile that this warp needs after tile `number`. Without lists all warps need
  /// the same.
  __device__ void ask(int32_t number) {
    const int32_t next = p_.lists.data != nullptr ? sight_.look_up(number)
                         : number < 0             ? sight_.begin()
                                                  : sight_.after(number);
    if (threadIdx.x % kWarp == 0) asked()[turn_ * kMostWarps + threadIdx.x / kWarp] = next;
  }
  /// Returns the number of the next tile, kNoTile if there is none; called after the barrier.
  __device__ int32_t next() {
    int32_t next = kNoTile;
    for (int warp = 0; warp < Shape::kThreads / 32; ++warp) next = min(next, asked()[turn_ * kMostWarps + warp]);
    turn_ ^= 1;
    return sight_.ends_at(next) ? kNoTile : next;
  }

 private:
  [[nodiscard]] static __device__ int32_t* asked() {
    __shared__ int32_t of_warp[2 * kMostWarps];
    return of_warp;
  }

  const AttentionParameters& p_;
  AttentionSight<Shape::kKeys>& sight_;
  int32_t turn_ = 0;
};

template <class T, int width, int warps>
__device__ void attend(const AttentionParameters& p) {
  using Shape = AttentionShape<T, width, warps>;
  extern __shared__ uint4 memory[];
  T* const queries = reinterpret_cast<T*>(memory);
  T* const stages = queries + Shape::kRows * Shape::kStride;
  const AttentionPlace place = attention_place<Shape>(p);
  if (by_key_block(p, place.sequence, place.first)) return;
  const auto warp_row = static_cast<int>(threadIdx.x / kWarp * kFragmentRows);
  AttentionSight<Shape::kKeys> sight(p, place, place.first, Shape::kRows);
  AttentionWalk<Shape> walk(p, sight);
  RunningSoftmax<Shape> softmax;
  load_rows<Shape>(p, queries, Shape::kRows, p.q.stride[3],
                   [&](int row) { return query_row<T>(p, place, place.first + row); });
  walk.ask(-1);
  __syncthreads();
  int32_t number = walk.next();
  if (number != kNoTile) load_tile<T, Shape>(p, place, attention_tile<Shape::kKeys>(p, number), stages);
  commit_copies();
  for (int stage = 0; number != kNoTile; stage ^= 1) {
    const AttentionTile tile = attention_tile<Shape::kKeys>(p, number);
    walk.ask(number);
    wait_for_copies<0>();
    __syncthreads();  // the tile is there, and nobody computes with the one before it
    number = walk.next();
    if (number != kNoTile)
      load_tile<T, Shape>(p, place, attention_tile<Shape::kKeys>(p, number), stages + (stage ^ 1) * 2 * Shape::kTile);
    commit_copies();
    if (!sight.look(tile)) continue;
    add_tile(p, softmax, sight, queries + warp_row * Shape::kStride, stages + stage * 2 * Shape::kTile);
  }
  wait_for_copies<0>();
  __syncthreads();  // where there was no tile: the queries' memory is used below
  join_totals(softmax);
  const uint32_t seeing = sight.seeing();
  const int64_t first = place.first + warp_row;
  if (p.splits > 1) return write_own_part(p, place, softmax, first, seeing);
  write_rows<Shape>(p, place, softmax, first, seeing, queries + warp_row * Shape::kStride);
  if (first < p.rows) write_blind_rows<T>(p, place, first, seeing);
}

}  // namespace parity::optimized::cuda
