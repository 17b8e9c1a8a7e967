// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Slots in the order of their experts, as kernels find and read it.
#pragma once

#include "optimized/cuda/rows.hpp"

namespace parity::optimized::cuda {

/// Slot i is slot i % slots of token i / slots. The position of a slot is its place when all slots are sorted by
/// expert.
struct Routed {
  Rows indices;                                                // (N, T) i64; those that name no expert have no position
  int64_t count;              // of slots, N T
  int32_t slots, experts;     // T, E
  int32_t tile_rows, chunks;  // positions of a tile; blocks that share the slots
  int32_t* ranks;             // (N T): of a slot among those of its expert in its chunk
  int32_t* counts;            // (chunks, E): slots in the chunk, then slots in the chunks before
  int32_t* first_position;                                                                                    // (E + 1)
  int32_t* first_tile;                                                                                        // (E + 1)
  int32_t* slot_at;           // (N T): by position
  int32_t* position_of;       // (N T): by slot, -1 without an expert
};

/// Slots of a chunk, one for each thread.
inline constexpr int kChunk = 256;

}  // namespace parity::optimized::cuda
