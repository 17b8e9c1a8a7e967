// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>

#include "optimized/cpu/level.hpp"

namespace parity::cpu {

/// Selects blocks for the queries [first, last) of one list: forced ones, then those with the largest scores.
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

/// Number of queries selected together, and bytes of scratch memory for their rows, candidates and ids, with padding.
inline constexpr int64_t kSelectBatch = 8;
inline int64_t select_padded(int64_t count) { return (count + 64 + 15) / 16 * 16; }
inline int64_t select_scratch(int64_t count) { return kSelectBatch * 3 * 4 * select_padded(count); }

PARITY_CPU_FUNCTION(select_rows, SelectRows)

}  // namespace parity::cpu
