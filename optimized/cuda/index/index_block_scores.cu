// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// index_block_scores: a tile of queries of some tokens and heads times the keys of some key blocks, and their maxima.
// For few tokens the tiles are small, and the key blocks are divided among the blocks of the grid.
#include "optimized/cuda/index/index_block_scores.hpp"

#ifdef __CUDACC__

#include "optimized/cuda/device/index_block.cuh"

namespace parity::optimized::cuda {

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
