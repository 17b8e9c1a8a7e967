// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// index_block_scores of many queries, as index_block_scores_sm90.cu is given it.
#pragma once

#include "optimized/cuda/group_block.hpp"
#include "optimized/cuda/operand.hpp"
#include "optimized/cuda/tensor_map.hpp"

namespace parity::optimized::cuda {

constexpr int kIndexSlots = 128;  // of a key block
constexpr int kIndexRows = 128;   // of a tile: tokens times heads
constexpr int kIndexChunk = 32;   // key blocks of a tile, at most
constexpr int kIndexWidth = 128;  // channels, at most
constexpr int kIndexStages = 4;   // key blocks under way

struct IndexSm90Parameters {
  TensorMap q, k;        // boxes of 64 channels: of a tile's rows (token, head), of a key block
  Operand<4> out;        // (B, X or 1, S, J)
  Operand<2> positions;                                                                                    // (B, S) i64
  int32_t heads, tokens, slots, blocks, token_tiles, chunk;
  float scale;
  bool per_group;
};

}  // namespace parity::optimized::cuda

#ifndef __CUDACC__

#include "core/components/index/index_block_scores.hpp"

namespace parity::optimized::cuda {

/// Whether the place runs these kernels and they took the call: bf16, more than 64 queries, heads that are a power of two,
/// blocks of 128 keys, at most 128 channels, no scores of single keys. Otherwise nothing was started.
[[nodiscard]] bool start_index_sm90(const IndexBlockScores::Inputs& in, const IndexBlockScores::Params& params,
                                    const IndexBlockScores::Outputs& out, const Context& context);

}  // namespace parity::optimized::cuda

#endif
