// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Lists of key blocks, and which tiles of rows are computed key block by key block.
#pragma once

#include "optimized/cuda/device/attention_tile.cuh"

namespace parity::optimized::cuda {

constexpr int32_t kNoTile = 0x7FFFFFFF;

/// The key block at place t of a token's list, which the heads of the group share; kNoTile where it names none.
__device__ inline int32_t listed_block(const AttentionParameters& p, const AttentionPlace& place, int64_t token,
                                       int32_t t) {
  const int32_t sharing = p.groups / p.lists_per_batch;  // groups that share a list
  const int32_t list = place.batch * p.lists_per_batch + place.group / sharing;
  const int64_t block = *at<int64_t>(p.lists, list, token, t);
  return block >= 0 && block * p.block_size < p.slots ? static_cast<int32_t>(block) : kNoTile;
}

/// The first place of a key block in a token's list, p.list_length if it is not there.
__device__ inline int32_t place_in_list(const AttentionParameters& p, const AttentionPlace& place, int64_t token,
                                        int32_t block) {
  int32_t t = 0;
  while (t < p.list_length && listed_block(p, place, token, t) != block) ++t;
  return t;
}

/// Whether the tile of a row is left to attention_outer.cu.
__device__ inline bool by_key_block(const AttentionParameters& p, int32_t sequence, int64_t row) {
  return p.by_key_block != nullptr && p.by_key_block[int64_t{sequence} * p.row_tiles + row / p.tile_rows] != 0;
}

}  // namespace parity::optimized::cuda
