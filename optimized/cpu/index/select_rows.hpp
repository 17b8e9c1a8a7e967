// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>

#include "optimized/cpu/level.hpp"

namespace parity::cpu {

/// Queries [first, last) of one list: the largest of `count` scores each, forced blocks first.
struct SelectRows {
  const float* scores;                                                                                         // (S, J)
  const int64_t* positions;                                                                                       // (S)
  float* forced;                                                                                       // (S, J) or null
  int64_t* blocks;                                                                                             // (S, T)
  std::byte* scratch;        // select_scratch() bytes
  int64_t first, last, count, slots;
  int64_t score_row, position, forced_row, block_row;  // strides
  int64_t block_size, top_k, local_blocks, init_blocks;
};

/// Queries at a time, each with its row, candidates and their ids, padded by two vectors.
inline constexpr int64_t kSelectBatch = 8;
inline int64_t select_padded(int64_t count) { return (count + 64 + 15) / 16 * 16; }
inline int64_t select_scratch(int64_t count) { return kSelectBatch * 3 * 4 * select_padded(count); }

PARITY_CPU_FUNCTION(select_rows, SelectRows)

}  // namespace parity::cpu
