// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How a product is shared out to the blocks of a GPU.
#pragma once

#include "optimized/cuda/launch.hpp"

namespace parity::optimized::cuda {

/// As the shapes of device/tile_product.cuh.
struct Tile {
  const char* name;
  int64_t rows, columns;
  uint32_t threads, shared;
};
inline constexpr Tile kLargeTile{"large", 128, 128, 256, 3 * 256 * 128}, kSmallTile{"small", 32, 64, 128, 4 * 96 * 128};
/// Up to so many tokens the weight's rows are shared out, not tiles.
inline constexpr int64_t kFewTokens = 8;

struct ProductPlan {
  Tile tile;
  int64_t down, across;  // tiles
  int64_t piece, pieces; // of channels
  [[nodiscard]] Dim grid() const { return {grid_extent(down), grid_extent(across), grid_extent(pieces)}; }
};

/// `depth`: channels of a stage.
[[nodiscard]] inline ProductPlan plan_of(int64_t tokens, int64_t rows, int64_t width, int64_t depth) {
  constexpr int64_t kBlocks = 2 * 132;  // two for each multiprocessor of an H100
  constexpr int64_t kStages = 4;        // of a piece at least, or filling the pipeline costs more than it brings
  const auto parts = [](int64_t count, int64_t size) { return (count + size - 1) / size; };
  ProductPlan plan{tokens > 64 ? kLargeTile : kSmallTile, 0, 0, 0, 0};
  plan.down = parts(tokens, plan.tile.rows);
  plan.across = parts(rows, plan.tile.columns);
  const int64_t stages = parts(width, depth);
  const int64_t wanted = std::min(kBlocks / (plan.down * plan.across), stages / kStages);
  plan.piece = parts(stages, std::max<int64_t>(wanted, 1)) * depth;
  plan.pieces = std::max<int64_t>(parts(width, plan.piece == 0 ? 1 : plan.piece), 1);
  return plan;
}

}  // namespace parity::optimized::cuda
