// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A tile of index scores: queries of some tokens and heads, the keys of some key blocks, and the maxima of both.
#pragma once

#include "optimized/cuda/device/index_tile.cuh"
#include "optimized/cuda/device/slice.cuh"
#include "optimized/cuda/index/index_block_scores.hpp"

namespace parity::optimized::cuda {

using IndexLargeTile = TileShape<128, 128, 2, 4, 2>;

__device__ constexpr Element element_of_type(float) { return Element::f32; }
__device__ constexpr Element element_of_type(Bf16) { return Element::bf16; }

template <class T, class Shape>
class IndexTile {
 public:
  using Maxima = BlockMaxima<Shape::kRows, kIndexMostBlocks>;

  __device__ IndexTile(const IndexBlockScoresParameters& p, char* memory, Maxima& maxima, int64_t* last_visible)
      : p_(p), memory_(memory), maxima_(maxima), last_visible_(last_visible) {
    const int64_t b = blockIdx.y;
    q_ = slice<T>(p.q, b);
    k_ = slice<T>(slice<T>(p.k, b), 0);
    out_ = slice<float>(p.block_scores, b);
    scores_ = slice<float>(p.scores, b);
    token_ = blockIdx.x % p.token_tiles * p.tile_tokens;
    block_ = blockIdx.x / p.token_tiles * p.tile_blocks;
    const int64_t left = p.blocks - block_;
    blocks_ = left < p.tile_blocks ? left : p.tile_blocks;
    first_ = block_ * p.block_size;
    const int64_t end = first_ + blocks_ * p.block_size;
    end_ = end < p.slots ? end : p.slots;
  }

  __device__ void run() {
    const int64_t visible = read_positions(), end = p_.scores.data != nullptr || visible > end_ ? end_ : visible;
    maxima_.clear();
    for (int64_t head = 0; head < p_.heads; head += p_.tile_heads) {
      __syncthreads();  // the maxima are clear
      for (int64_t slot = first_; slot < end; slot += Shape::kColumns) {
        multiply_piece(head, slot);
        __syncthreads();  // the stages are free
      }
      if (!p_.per_group && head + p_.tile_heads < p_.heads) continue;
      write(head);
      if (p_.per_group) clear_again();
    }
  }

 private:
  /// Where the slots end that any token of the tile sees, at most that of the tile; its first slot where none does.
  __device__ int64_t read_positions() {
    __shared__ uint32_t most, least;  // slots from the first on
    const auto all = static_cast<uint32_t>(end_ - first_);
    if (threadIdx.x == 0) most = 0, least = all;
    __syncthreads();
    const int64_t t = threadIdx.x, token = token_ + t;  // there are as many threads as tokens, at least
    const bool inside = t < p_.tile_tokens && token < p_.tokens;
    const int64_t last = inside ? *at<int64_t>(p_.positions, blockIdx.y, token) : -1;
    if (t < p_.tile_tokens) last_visible_[t] = last;
    const uint32_t seen = last < first_ ? 0 : last < end_ ? static_cast<uint32_t>(last - first_ + 1) : all;
    const uint32_t of_warp = __reduce_max_sync(0xFFFFFFFFU, seen);
    const uint32_t of_each = __reduce_min_sync(0xFFFFFFFFU, inside ? seen : all);
    if (threadIdx.x % 32 == 0) {
      atomicMax(&most, of_warp);
      atomicMin(&least, of_each);
    }
    __syncthreads();
    all_see_ = first_ + least;
    return first_ + most;
  }
  __device__ void clear_again() {
    __syncthreads();
    maxima_.clear();
  }

  __device__ RowSource query(int64_t head, int row) const {
    const int64_t x = head + row % p_.tile_heads, t = row / p_.tile_heads;
    const bool inside = x < p_.heads && t < p_.tile_tokens && token_ + t < p_.tokens;
    const void* data = inside ? at<T>(slice<T>(q_, x), token_ + t) : nullptr;
    return {data, q_.stride[2], element_of_type(T{}), p_.vectors};
  }

  __device__ void multiply_piece(int64_t head, int64_t slot) {
    TileRows<T, Shape::kRows, Shape::kThreads> left(p_.width, [&](int row) { return query(head, row); });
    TileRows<T, Shape::kColumns, Shape::kThreads> right(p_.width, [&](int column) {
      const void* data = slot + column < end_ ? at<T>(k_, slot + column) : nullptr;
      return RowSource{data, k_.stride[1], element_of_type(T{}), p_.vectors};
    });
    TileSums<Shape> sums;
    multiply<T>(sums, memory_, left, right, 0, p_.width);
    if (p_.scores.data != nullptr) write_scores(sums, head, slot);
    if (p_.alone && slot + Shape::kColumns <= all_see_) return raise_block<true>(sums, slot);
    if (p_.alone) return raise_block<false>(sums, slot);
    p_.whole ? raise_together(sums, slot) : raise_each(sums, slot);
  }

  __device__ int token_of(int row) const { return row / static_cast<int>(p_.tile_heads); }
  __device__ int place_of_row(int row) const { return p_.per_group ? row : token_of(row); }
  __device__ bool in_tile(int row) const { return token_of(row) < p_.tile_tokens; }
  __device__ uint32_t code(int row, int64_t slot, float sum) const {
    const bool visible = in_tile(row) && slot < end_ && slot <= last_visible_[token_of(row)];
    return visible ? order_code(sum * p_.scale) : kCodeOfLeast;
  }
  __device__ int block_of(int64_t slot) const { return static_cast<int>((slot - first_) / p_.block_size); }

  /// All columns are of one key block. `whole`: all tokens see all of them.
  template <bool whole>
  __device__ void raise_block(const TileSums<Shape>& sums, int64_t slot) {
    const int lane = static_cast<int>(threadIdx.x) % 32, block = block_of(slot);
#pragma unroll
    for (int i = 0; i < 2 * Shape::kHigh; ++i) {
      const int row = sums.first_row() + 8 * i + lane / 4;
      const int seen = whole ? Shape::kColumns : seen_columns(row, slot) - sums.first_column() - lane % 4 * 2;
      float largest = -INFINITY;
#pragma unroll
      for (int j = 0; j < 2 * Shape::kWide; ++j) {
        const float score = sums.of[i / 2][j / 2][i % 2 * 2 + j % 2] * p_.scale;
        if (whole || j / 2 * 8 + j % 2 < seen) largest = larger_or_nan(largest, score);
      }
      largest = larger_or_nan(largest, __shfl_xor_sync(0xFFFFFFFFU, largest, 1));
      largest = larger_or_nan(largest, __shfl_xor_sync(0xFFFFFFFFU, largest, 2));
      if (lane % 4 == 0) maxima_.raise(place_of_row(row), block, order_code(largest));
    }
  }
  /// How many of the columns from `slot` on the row's token sees.
  __device__ int seen_columns(int row, int64_t slot) const {
    const int64_t last = in_tile(row) ? last_visible_[token_of(row)] : -1, end = last < end_ ? last + 1 : end_;
    return end <= slot ? 0 : static_cast<int>(end - slot < Shape::kColumns ? end - slot : Shape::kColumns);
  }
  __device__ void raise_together(const TileSums<Shape>& sums, int64_t slot) {
    const auto raise = [&](int row, int block, uint32_t code) { maxima_.raise(place_of_row(row), block, code); };
    MaximumRun run(raise);
    sums.each([&](int row, int column, float a, float b) {
      const int64_t j = slot + column;
      const uint32_t first = code(row, j, a), second = code(row, j + 1, b);
      run.add(row, block_of(j - column % 8), first > second ? first : second);  // one block for the piece
    });
  }
  __device__ void raise_each(const TileSums<Shape>& sums, int64_t slot) {
    sums.each([&](int row, int column, float a, float b) {
      const uint32_t codes[2]{code(row, slot + column, a), code(row, slot + column + 1, b)};
      for (int i = 0; i < 2; ++i) {
        if (codes[i] > kCodeOfLeast) maxima_.raise(place_of_row(row), block_of(slot + column + i), codes[i]);
      }
    });
  }

  __device__ void write_scores(const TileSums<Shape>& sums, int64_t head, int64_t slot) {
    sums.each([&](int row, int column, float a, float b) {
      const int64_t x = head + row % p_.tile_heads, s = token_ + token_of(row);
      if (!in_tile(row) || x >= p_.heads || s >= p_.tokens) return;
      const Operand<2> scores = slice<float>(scores_, x);
      if (slot + column < end_) *at<float>(scores, s, slot + column) = a * p_.scale;
      if (slot + column + 1 < end_) *at<float>(scores, s, slot + column + 1) = b * p_.scale;
    });
  }

  __device__ void write(int64_t head) {
    const int64_t rows = p_.per_group ? p_.tile_tokens * p_.tile_heads : p_.tile_tokens;
    for (int64_t i = threadIdx.x; i < rows * blocks_; i += blockDim.x) {
      const int64_t row = i / blocks_, n = i % blocks_;
      const int64_t x = p_.per_group ? head + row % p_.tile_heads : 0;
      const int64_t s = token_ + (p_.per_group ? row / p_.tile_heads : row);
      if (x < p_.heads && s < p_.tokens)
        *at<float>(slice<float>(out_, x), s, block_ + n) = maxima_.of(static_cast<int>(row), static_cast<int>(n));
    }
  }

  const IndexBlockScoresParameters& p_;
  char* memory_;
  Maxima& maxima_;
  int64_t* last_visible_;  // of each token
  Operand<3> q_, out_, scores_;
  Operand<2> k_;
  int64_t token_, block_, blocks_, first_, end_;  // of the tile: blocks_ key blocks, slots [first_, end_)
  int64_t all_see_;                               // where the slots end that all of its tokens see
};

}  // namespace parity::optimized::cuda
