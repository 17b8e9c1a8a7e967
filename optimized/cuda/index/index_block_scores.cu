// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// index_block_scores: a tile of queries of some tokens and heads times the keys of some key blocks, and their maxima.
// For few tokens the tiles are small, and the key blocks are divided among the blocks of the grid.
#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

constexpr int64_t kIndexMostBlocks = 16;  // key blocks of a tile

struct IndexBlockScoresParameters {
  Operand<4> q, k, block_scores, scores;          // (B, X, S, I), (B, 1, K, I), (B, X or 1, S, J), (B, X, S, K) or null
  Operand<2> positions;                                                                                    // (B, S) i64
  int64_t heads, tokens, slots, width, blocks, block_size;
  int64_t tile_heads, tile_tokens, token_tiles, tile_blocks;
  float scale;
  bool per_group;
  bool vectors;  // q and k may be read by 16 bytes
  bool whole;    // pieces of 8 columns lie in one key block
  bool alone;    // pieces of a tile's columns do
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/index_tile.cuh"
#include "optimized/cuda/device/slice.cuh"

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

template <class T, class Shape>
__device__ void index_block_scores(const IndexBlockScoresParameters& p) {
  extern __shared__ __align__(128) char memory[];
  __shared__ typename IndexTile<T, Shape>::Maxima maxima;
  __shared__ int64_t last_visible[Shape::kRows];
  IndexTile<T, Shape>(p, memory, maxima, last_visible).run();
}

#define PARITY_INDEX_SCORES(type, T)                                                          \
  extern "C" __global__ void __launch_bounds__(IndexLargeTile::kThreads)                      \
      index_block_scores_large_##type(const __grid_constant__ IndexBlockScoresParameters p) { \
    index_block_scores<T, IndexLargeTile>(p);                                                 \
  }                                                                                           \
  extern "C" __global__ void __launch_bounds__(SmallTile::kThreads, 1)                        \
      index_block_scores_small_##type(const __grid_constant__ IndexBlockScoresParameters p) { \
    index_block_scores<T, SmallTile>(p);                                                      \
  }
PARITY_INDEX_SCORES(f32, float)
PARITY_INDEX_SCORES(bf16, Bf16)

}  // namespace parity::optimized::cuda

#else

#include "core/components/index/index_block_scores.hpp"
#include "optimized/cuda/index/index_block_scores_sm90.hpp"
#include "optimized/cuda/launch.hpp"
#include "optimized/cuda/vectors.hpp"

namespace parity::optimized::cuda {
namespace {

/// The tile shapes for which kernels exist.
struct IndexTileShape {
  const char* name;
  int64_t rows, columns;
  uint32_t threads, shared;
};
constexpr IndexTileShape kIndexLarge{"large", 128, 128, 256, 2 * 256 * 128},
    kIndexSmall{"small", 32, 64, 128, 4 * 96 * 128};

template <class T>
IndexBlockScoresParameters index_parameters(const IndexBlockScores::Inputs& in, const IndexBlockScores::Params& params,
                                            const IndexBlockScores::Outputs& out) {
  const auto q = in.q.as<T, 4>(), k = in.k.as<T, 4>();                                     // (B, X, S, I), (B, 1, K, I)
  TensorView pooled = out.block_scores;
  if (!params.per_group) {                                               // (B, S, J) with an axis of heads that are one
    pooled.shape.insert(pooled.shape.begin() + 1, 1);
    pooled.strides.insert(pooled.strides.begin() + 1, 0);
  }
  const auto block_scores = pooled.as<float, 4>();  // (B, X or 1, S, J)
  IndexBlockScoresParameters p{};
  p.q = operand(q);
  p.k = operand(k);
  p.block_scores = operand(block_scores);
  if (!out.scores.empty()) p.scores = operand(out.scores.as<float, 4>());
  p.positions = operand(in.positions.as<int64_t, 2>());
  p.heads = q.extent[1];
  p.tokens = q.extent[2];
  p.slots = k.extent[2];
  p.width = q.extent[3];
  p.blocks = block_scores.extent[3];
  p.block_size = params.block_size;
  p.scale = static_cast<float>(params.scale);
  p.per_group = params.per_group;
  p.vectors = has_vectors(q) && has_vectors(k);
  p.whole = params.block_size % 8 == 0;
  PARITY_CHECK(params.block_size > 0 && (p.slots == 0 || (p.slots - 1) / params.block_size < p.blocks), usage,
               "{} keys in blocks of {} do not make {} blocks", p.slots, params.block_size, p.blocks);
  PARITY_CHECK(block_scores.extent[1] == (p.per_group ? p.heads : 1) && k.extent[3] == p.width, schema,
               "block scores have shape {}, but there are {} heads", to_string(out.block_scores.shape), p.heads);
  return p;
}

/// Those of one piece of columns; of many, as many as fill a sector of the results.
int64_t tile_blocks_for(const IndexBlockScoresParameters& p, const IndexTileShape& shape) {
  constexpr int64_t kSectorScores = 8, kManyBlocks = 16;
  const int64_t of_piece = std::clamp<int64_t>(shape.columns / p.block_size, 1, kIndexMostBlocks);
  return shape.rows == kIndexLarge.rows && p.blocks >= kManyBlocks ? std::max(of_piece, kSectorScores) : of_piece;
}

template <class T>
void index_block_scores(const IndexBlockScores::Inputs& in, const IndexBlockScores::Params& params,
                        const IndexBlockScores::Outputs& out, Context& context) {
  IndexBlockScoresParameters p = index_parameters<T>(in, params, out);
  const int64_t queries = p.tokens * p.heads;
  if (queries == 0 || p.blocks == 0 || start_index_sm90(in, params, out, context)) return;
  const IndexTileShape shape = queries > 2 * kIndexSmall.rows ? kIndexLarge : kIndexSmall;
  p.tile_heads = std::min(p.heads, shape.rows);
  p.tile_tokens = shape.rows / p.tile_heads;
  p.token_tiles = (p.tokens + p.tile_tokens - 1) / p.tile_tokens;
  p.tile_blocks = tile_blocks_for(p, shape);
  p.alone = p.block_size % shape.columns == 0;
  const int64_t chunks = (p.blocks + p.tile_blocks - 1) / p.tile_blocks;
  const std::string name = std::string("index_block_scores_") + shape.name + "_" + to_string(kDTypeOf<T>);
  launch(context,
         {"index_block_scores",
          name,
          {grid_extent(p.token_tiles * chunks), grid_extent(in.q.shape[0])},
          {shape.threads},
          {},
          shape.shared},
         p);
}

}  // namespace

void register_cuda_index_block_scores(BackendKernels& kernels) {
  kernels.add<IndexBlockScores>("f32", &index_block_scores<float>);
  kernels.add<IndexBlockScores>("bf16", &index_block_scores<BFloat16>);
}

}  // namespace parity::optimized::cuda

#endif
