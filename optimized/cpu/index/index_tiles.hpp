// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "optimized/cpu/level.hpp"

namespace parity::cpu {

/// Computes block maxima of the queries [first, last) of one sequence over the blocks [first_block, last_block).
template <class T>
struct IndexTile {
  const T* q;                                                                                               // (X, S, I)
  const T* k;                                                                                                  // (K, I)
  const int64_t* positions;                                                                                       // (S)
  float* out;                                                                                     // (S, J) or (X, S, J)
  float* scratch;            // index_scratch() floats
  int64_t first, last, first_block, last_block;
  int64_t q_head, q_token, k_slot, position, out_head, out_token;  // strides
  int64_t heads, slots, width, block_size;
  float scale;
  bool shared;  // one maximum for all heads
};

/// Computes the optional scores of the queries [first, last) for every slot.
template <class T>
struct IndexScores {
  const T* q;                                                                                               // (X, S, I)
  const T* k;                                                                                                  // (K, I)
  float* scores;                                                                                            // (X, S, K)
  int64_t first, last;
  int64_t q_head, q_token, k_slot, score_head, score_token;  // strides
  int64_t heads, slots, width;
  float scale;
};

/// Most queries in a tile at any level, keys copied or multiplied at once, and floats of one thread's scratch memory.
inline constexpr int64_t kIndexTokens = 64;
inline constexpr int64_t kIndexKeys = 32;  // copied or multiplied at a time
inline int64_t index_scratch(int64_t width) {
  return (kIndexTokens + kIndexKeys) * (width + 1) + kIndexTokens * kIndexKeys + 64;
}

PARITY_CPU_FUNCTION(index_tile_f32, IndexTile<float>)
PARITY_CPU_FUNCTION(index_tile_bf16, IndexTile<BFloat16>)
PARITY_CPU_FUNCTION(index_few_f32, IndexTile<float>)
PARITY_CPU_FUNCTION(index_few_bf16, IndexTile<BFloat16>)
PARITY_CPU_FUNCTION(index_scores_f32, IndexScores<float>)
PARITY_CPU_FUNCTION(index_scores_bf16, IndexScores<BFloat16>)

}  // namespace parity::cpu
