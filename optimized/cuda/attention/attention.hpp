// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Attention of one call, as attention.cu is given it. The query heads of one key/value head and their tokens form rows
// in the order (token, head): the heads of a group share the loaded keys and values.
#pragma once

#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

/// Absent operands have no data.
struct AttentionParameters {
  Operand<4> q, k, v, out;                                     // (B, A, S, D), (B, G, K, D), (B, G, K, D), (B, S, A, D)
  Operand<2> mask, positions;                                                                          // (B, U), (B, S)
  Operand<3> pairs, lists;                                                        // (B, S, K), (B, S, T) or (B*X, S, T)
  float* mixtures;             // (splits, B*G, rows, D) of a call in several parts
  float* statistics;           // (splits, B*G, rows, 2): the largest score and the sum of weights
  int32_t* by_key_block;       // (B*G, row_tiles): not 0 for tiles that attention_outer.cu computes; null: for none
  int64_t rows;                // of a group: S times heads
  int64_t query_slot;
  int32_t sequences, groups, heads, slots, width;  // B*G, G, A/G, K, D
  int32_t masked_slots;                            // slots that the mask has: fewer than K in a static cache
  int32_t block_size, parts;                       // slots of a block, tiles of a block
  int32_t list_length, lists_per_batch;
  int32_t row_tiles, tile_rows, splits;
  float exponent;                             // scale / ln 2: weights are powers of two of scores times this
  float blind_weight;                         // of every value in a row that sees nothing
  bool causal, self_visible, copies, stores;  // the last two: rows are whole aligned pieces of 16 bytes
};

}  // namespace parity::optimized::cuda
