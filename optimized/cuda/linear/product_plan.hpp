// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How a product is divided among the blocks of a GPU, and its launch.
#pragma once

#include <fmt/format.h>

#include "optimized/cuda/launch.hpp"
#include "optimized/cuda/linear/product_operands.hpp"

namespace parity::optimized::cuda {

/// The host's copy of a TileShape of device/tile_product.cuh.
struct Tile {
  const char* name;
  int64_t rows, columns;
  uint32_t threads, shared;
};
inline constexpr Tile kLargeTile{"large", 128, 128, 256, 3 * 256 * 128}, kSmallTile{"small", 32, 64, 128, 4 * 96 * 128};

struct ProductPlan {
  Tile tile;
  Dim grid;
  int64_t piece, pieces;  // of the channels
};

inline int64_t parts_of(int64_t count, int64_t size) { return (count + size - 1) / size; }

/// `depth`: channels of a stage. `blocks`: as many keep a GPU busy.
[[nodiscard]] inline ProductPlan plan_of(const ProductOperands& of, int64_t depth, const Tile& tile, int64_t blocks) {
  constexpr int64_t kStages = 4;  // of a piece at least, or filling the pipeline costs more than it brings
  const int64_t down = parts_of(of.tokens, tile.rows), across = parts_of(of.rows, tile.columns);
  const int64_t stages = parts_of(of.width, depth);
  const int64_t wanted = std::clamp<int64_t>(stages / kStages, 1, std::max<int64_t>(blocks / (down * across), 1));
  const int64_t piece = std::max<int64_t>(parts_of(stages, wanted), 1) * depth;
  const int64_t pieces = std::max<int64_t>(parts_of(of.width, piece), 1);
  return {tile, {grid_extent(down), grid_extent(across), grid_extent(pieces)}, piece, pieces};
}

/// Takes room for the pieces of sums where there are several.
inline void share_out(ProductOperands& product, const ProductPlan& plan, const Context& context) {
  product.piece = plan.piece;
  product.pieces = plan.pieces;
  if (plan.pieces > 1)
    product.partial =
        context.workspace->take_elements<float>(static_cast<size_t>(plan.pieces * product.tokens * product.rows));
}

/// Kernel <module>_sum. P has its ProductOperands as `product`.
template <class P>
void add_up_pieces(const P& p, const std::string& module, const Context& context) {
  constexpr uint32_t kThreads = 256;
  if (p.product.pieces == 1) return;
  launch(context,
         {module, module + "_sum", {grid_extent(parts_of(p.product.tokens * p.product.rows, kThreads))}, {kThreads}},
         p);
}

/// Kernels <module>_large_<type>, _small_ and _sum.
template <class P>
void by_tiles(P p, const std::string& module, const std::string& type, const Context& context) {
  constexpr int64_t kStageBytes = 128;  // of a row
  constexpr int64_t kSomeTokens = 64;   // up to here a large tile would be half empty
  constexpr int64_t kBlocks = 2 * 132;  // two for each multiprocessor of an H100
  const Tile tile = p.product.tokens > kSomeTokens ? kLargeTile : kSmallTile;
  const ProductPlan plan = plan_of(p.product, kStageBytes / (type == "bf16" ? 2 : 4), tile, kBlocks);
  share_out(p.product, plan, context);
  launch(context,
         {module,
          fmt::format("{}_{}_{}", module, plan.tile.name, type),
          plan.grid,
          {plan.tile.threads},
          {},
          plan.tile.shared},
         p);
  add_up_pieces(p, module, context);
}

/// Kernels <module>_few_<tokens>_<rows>_<type>: a block for some rows of the weight.
template <class P>
void by_rows(const P& p, const std::string& module, const std::string& type, const Context& context) {
  constexpr int64_t kManyRows = 1024;  // from here on a block for each would be too many
  constexpr uint32_t kThreads = 128;
  const int64_t rows = p.product.rows < kManyRows ? 1 : 4;
  const int tokens = p.product.tokens == 1 ? 1 : p.product.tokens <= 4 ? 4 : 8;
  launch(context,
         {module,
          fmt::format("{}_few_{}_{}_{}", module, tokens, rows, type),
          {grid_extent(parts_of(p.product.rows, rows))},
          {kThreads}},
         p);
}

template <class P>
void start_product(const P& p, const std::string& module, const std::string& type, const Context& context) {
  constexpr int64_t kFewTokens = 8;  // they meet a row of the weight when it is read once
  if (p.product.tokens == 0 || p.product.rows == 0) return;
  p.product.tokens <= kFewTokens ? by_rows(p, module, type, context) : by_tiles(p, module, type, context);
}

}  // namespace parity::optimized::cuda
