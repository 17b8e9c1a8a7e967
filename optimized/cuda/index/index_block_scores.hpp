// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Index scores of one call, as index_block_scores.cu is given them.
#pragma once

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
