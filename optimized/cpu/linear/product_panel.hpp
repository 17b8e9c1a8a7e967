// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Divides the products of a weight with panels of tokens among threads.
#pragma once

#include <omp.h>

#include "optimized/cpu/linear/product_tile.hpp"
#include "optimized/cpu/parallel.hpp"

namespace parity::cpu {

inline void pack_tokens(const PackSingle& args) { pack_tokens_f32(args); }
inline void pack_tokens(const PackHalf& args) { pack_tokens_bf16(args); }

/// Returns the most floats that the packed tiles of `count` tokens need.
inline int64_t panel_floats(int64_t count, int64_t width) {
  if (count < kFewTokens) return 0;
  return (std::min(count, panel_tokens()) + tile_tokens() - 1) / tile_tokens() * packed_floats(width);
}

/// Packs all tiles of a panel, without a last tile of few tokens.
template <class T>
void pack_panel(const T* const* rows, int64_t count, int64_t width, float* packed) {
  constexpr int64_t kChannels = 512;
  const int64_t tokens = tile_tokens(), parts = (width + kChannels - 1) / kChannels;
  const int64_t tiles = (count + tokens - kFewTokens) / tokens;
  in_pieces(tiles * parts, 1, [&](int64_t piece, int64_t) {
    const int64_t tile = piece / parts, first = piece % parts * kChannels;
    pack_tokens(PackTokens<T>{rows + tile * tokens, std::min(tokens, count - tile * tokens), width, first,
                              std::min(width, first + kChannels), tokens, packed + tile * packed_floats(width)});
  });
}

/// Returns the rows of a piece of work: a few pieces for each thread, at most `most` rows. Sums do not depend on it.
inline int64_t piece_rows(int64_t rows, int64_t tokens, int64_t most) {
  if (tokens <= tile_tokens()) return kPieceRows;
  const int64_t pieces = int64_t{4} * omp_get_max_threads();
  return std::clamp((rows / pieces + kPieceRows - 1) / kPieceRows * kPieceRows, kPieceRows, most);
}

}  // namespace parity::cpu
