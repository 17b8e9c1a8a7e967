// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Products of a weight's rows with the tokens of a tile: many lie along the lanes and share each row, few read the rows along
// their channels, at memory speed. Sums do not hang on how rows are shared out.
#pragma once

#include "optimized/cpu/product_tile.hpp"
#include "optimized/cpu/simd/dots.hpp"
#include "optimized/cpu/simd/tiles.hpp"

namespace parity::cpu::PARITY_LEVEL {

static_assert(kTokens <= kTileTokens);
inline constexpr int64_t kDepth = 128;  // steps at a time: the packed tokens of so many stay in the first cache

#ifdef PARITY_LEVEL_amx_bf16
/// Steps [first, first + depth) of whole tiles of the rows [f, last); returns the first row that is left.
template <int V, class Tile>
int64_t tiles_of_rows(const Tile& a, int64_t f, int64_t last, int64_t first, int64_t depth, float* sums) {
  if (depth % kTile != 0 || 2 * (first + depth) > a.width) return f;
  const float* columns[V];
  float* totals[V];
  for (int v = 0; v < V; ++v) {
    columns[v] = a.packed + first * kTokens + v * kLanes;
    totals[v] = sums + v * kLanes;
  }
  const int64_t row = a.width * static_cast<int64_t>(sizeof(BFloat16)), tiles = (last - f) / kTile;
  const TileRows left{a.weight + f * a.width + 2 * first, row, kTileRow, kTile * row};
  const TileColumns right{columns, kTokens, kTile * kTokens, totals, kTokens, kTile * kTokens};
  if (first > 0) {
    multiply_tiles<true>(left, tiles, right, V, depth / kTile);
  } else {
    multiply_tiles<false>(left, tiles, right, V, depth / kTile);
  }
  return f + tiles * kTile;
}
#endif

/// sums[row * kTokens + token] for rows [first, last), from packed tokens.
template <class T, int V, class Tile>
void products_of_tile(const Tile& a, int64_t first, int64_t last, float* sums, Row<T>* copies) {
  const int64_t steps = (a.width + kChannels<T> - 1) / kChannels<T>;
  const auto* packed = reinterpret_cast<const Packed<T>*>(a.packed);
  for (int64_t i = 0; i < steps; i += kDepth) {
    const int64_t depth = i + kDepth < steps ? kDepth : steps - i;
    const int64_t channel = i * kChannels<T>;
    const int64_t channels = channel + depth * kChannels<T> < a.width ? depth * kChannels<T> : a.width - channel;
    int64_t f = first;
#ifdef PARITY_LEVEL_amx_bf16
    if constexpr (kPairs<T>) f = tiles_of_rows<V>(a, first, last, i, depth, sums);
#endif
    for (; f < last; f += kTileRows) {
      const Row<T>* rows[kTileRows];
      for (int64_t r = 0; r < kTileRows; ++r) {
        const T* row = a.weight + (f + r < last ? f + r : last - 1) * a.width + channel;
        rows[r] = copies + r * kDepth * kChannels<T>;
        if constexpr (std::is_same_v<T, Row<T>>) {
          if (read_in_place<T>(a.width)) {
            rows[r] = row;
            continue;
          }
        }
        copy_row(row, channels, copies + r * kDepth * kChannels<T>);
      }
      Floats sum[kTileRows][V] = {};
      float* target = sums + (f - first) * kTokens;  // holds whole quads of rows
      if (i > 0) {
#pragma GCC unroll 4
        for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 4
          for (int v = 0; v < V; ++v) sum[r][v] = load(target + r * kTokens + v * kLanes);
        }
      }
      add_products<T, V>(packed + i * kTokens, rows, depth, sum);
#pragma GCC unroll 4
      for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) store(target + r * kTokens + v * kLanes, sum[r][v]);
      }
    }
  }
}

/// The same for R tokens from `token` on; the last one stands for those behind it.
template <class T, int R, class Tile>
void products_of_few(const Tile& a, int64_t token, int64_t first, int64_t last, float* sums) {
  constexpr int kOthers = kLanes / R;
  const T* tokens[R];
  for (int64_t r = 0; r < R; ++r) tokens[r] = a.tokens[token + r < a.count ? token + r : a.count - 1];
  for (int64_t f = first; f < last; f += kOthers) {
    const T* rows[kOthers];
    for (int64_t m = 0; m < kOthers; ++m) rows[m] = a.weight + (f + m < last ? f + m : last - 1) * a.width;
    float lanes[kLanes];
    store(lanes, dots(tokens, rows, a.width));
    for (int64_t m = 0; m < kOthers && f + m < last; ++m) {
      for (int64_t r = 0; r < R && token + r < a.count; ++r)
        sums[(f + m - first) * kTokens + token + r] = lanes[R * m + r];
    }
  }
}

/// Of a tile with `packed` tokens or few; `scratch` has room for copied rows behind two pieces of products.
template <class T, class Tile>
void products(const Tile& a, int64_t first, int64_t last, float* sums) {
  if (a.packed == nullptr) {
    if (a.count == 1) return products_of_few<T, 1>(a, 0, first, last, sums);
    for (int64_t token = 0; token < a.count; token += kFew) products_of_few<T, kFew>(a, token, first, last, sums);
    return;
  }
#ifdef PARITY_LEVEL_amx_bf16
  const Tiles tiles;
#endif
  auto* copies = reinterpret_cast<Row<T>*>(a.scratch + 2 * kPieceRows * kTileTokens);
  if (a.count <= kLanes) return products_of_tile<T, 1>(a, first, last, sums, copies);
  if (a.count <= 2 * kLanes) return products_of_tile<T, 2>(a, first, last, sums, copies);
  products_of_tile<T, kVectors>(a, first, last, sums, copies);
}

}  // namespace parity::cpu::PARITY_LEVEL
