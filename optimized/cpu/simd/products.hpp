// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Products of a weight's rows with panels of tokens. Many tokens lie in lanes and share each row; few tokens read the
// rows along their channels, at memory speed. Sums do not depend on how rows are divided.
#pragma once

#include "optimized/cpu/linear/product_tile.hpp"
#include "optimized/cpu/simd/dots.hpp"
#include "optimized/cpu/simd/tiles.hpp"

namespace parity::cpu::PARITY_LEVEL {

static_assert(kTokens <= kTileTokens);
inline constexpr int64_t kDepth = 128;  // steps at a time: their packed tokens stay in the first-level cache
/// Rows at a time; their sums for kVectors vectors of tokens fill the registers.
inline constexpr int kManyRows = kLanes == 8 ? kTileRows : 6;
static_assert(kMostPieceRows * kDepth <= kCopiedFloats && kMostPieceRows % kTileRows == 0);

/// Steps [step, step + depth) of a piece of rows, in the form in which they are multiplied.
template <class T>
struct Chunk {
  int64_t step, depth;
  const Row<T>* rows;
  int64_t stride;
};

#ifdef PARITY_LEVEL_amx_bf16
/// Multiplies whole tiles of the rows [0, count); returns the first row that is left.
template <int V>
int64_t tiles_of_rows(const Chunk<BFloat16>& c, const float* packed, int64_t count, float* sums) {
  if (c.depth % kTile != 0) return 0;
  const float* columns[V];
  float* totals[V];
  for (int v = 0; v < V; ++v) {
    columns[v] = packed + c.step * kTokens + v * kLanes;
    totals[v] = sums + v * kLanes;
  }
  const int64_t row = c.stride * static_cast<int64_t>(sizeof(BFloat16)), tiles = count / kTile;
  const TileRows left{c.rows, row, kTileRow, kTile * row};
  const TileColumns right{columns, kTokens, kTile * kTokens, totals, kTokens, kTile * kTokens};
  if (c.step > 0) {
    multiply_tiles<true>(left, tiles, right, V, c.depth / kTile);
  } else {
    multiply_tiles<false>(left, tiles, right, V, c.depth / kTile);
  }
  return tiles * kTile;
}
#endif

/// Adds the products of R rows from `row` on. Rows past `count` repeat the last row and are not stored.
template <class T, int V, int R>
[[gnu::always_inline]] inline void add_rows(const Chunk<T>& c, const float* packed, int64_t row, int64_t count,
                                            float* sums) {
  const Row<T>* rows[R];
  for (int r = 0; r < R; ++r) rows[r] = c.rows + (row + r < count ? row + r : count - 1) * c.stride;
  Floats sum[R][V] = {};
  float* target = sums + row * kTokens;
  if (c.step > 0) {
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) sum[r][v] = load(target + r * kTokens + v * kLanes);
    }
  }
  add_products<T, V>(reinterpret_cast<const Packed<T>*>(packed) + c.step * kTokens, rows, c.depth, sum);
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    if (row + r >= count) return;
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) store(target + r * kTokens + v * kLanes, sum[r][v]);
  }
}

/// Sets or adds sums[row * kTokens + token] from the chunk, for V vectors of a tile's tokens and `count` rows.
template <class T, int V>
void add_chunk(const Chunk<T>& c, const float* packed, int64_t count, float* sums) {
  int64_t row = 0;
#ifdef PARITY_LEVEL_amx_bf16
  if constexpr (kPairs<T>) row = tiles_of_rows<V>(c, packed, count, sums);
#endif
  for (; row + kManyRows <= count; row += kManyRows) add_rows<T, V, kManyRows>(c, packed, row, count, sums);
  for (; row < count; row += kTileRows) add_rows<T, V, kTileRows>(c, packed, row, count, sums);
}

/// Computes R tokens from `token` on; missing tokens repeat the last. Sums have the layout of a tile's.
template <class T, int R>
void products_of_few(const ProductPanel<T>& a, int64_t token, int64_t first, int64_t last, float* sums) {
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
        sums[(f + m - first) * kTokens + token % kTokens + r] = lanes[R * m + r];
    }
  }
}

/// The sums of one piece of rows with all tokens of a panel, tile by tile, in scratch memory.
template <class T>
class Products {
 public:
  Products(const ProductPanel<T>& a, int64_t first, int64_t last, float* sums)
      : a_(a), first_(first), rows_(last - first), sums_(sums) {
    const int64_t packed = (a.count + kTokens - kFewTokens) / kTokens, left = packed * kTokens;
    if (a.count == left + 1) products_of_few<T, 1>(a, left, first, last, of(left));
    if (a.count > left + 1) products_of_few<T, kFew>(a, left, first, last, of(left));
    if (packed == 0) return;
#ifdef PARITY_LEVEL_amx_bf16
    const Tiles tiles;
#endif
    const int64_t steps = (a.width + kChannels<T> - 1) / kChannels<T>;
    for (int64_t step = 0; step < steps; step += kDepth) {
      const Chunk<T> c = chunk(step, steps, packed > 1);
      for (int64_t tile = 0; tile < packed; ++tile) add(c, tile);
    }
  }

  /// Sets x[i] to the sums of kLanes rows from `row` on with token + i. Rows past the end have scratch memory too.
  [[gnu::always_inline]] void turned(int64_t token, int64_t row, Floats (&x)[kLanes]) const {
    const float* sums = of(token / kTokens * kTokens) + row * kTokens + token % kTokens;
    for (int64_t r = 0; r < kLanes; ++r) x[r] = load(sums + r * kTokens);
    transpose(x);
  }

 private:
  /// Returns the sums of the tile that starts with this token, kTokens for each row.
  [[nodiscard]] float* of(int64_t token) const {
    return sums_ + token * ((rows_ + kTileRows - 1) / kTileRows * kTileRows);
  }

  /// Copies rows that need conversion or are read often: rows at distances of powers of two evict each other from the
  /// first-level cache.
  [[nodiscard]] Chunk<T> chunk(int64_t step, int64_t steps, bool copied) const {
    const int64_t depth = kDepth < steps - step ? kDepth : steps - step, channel = step * kChannels<T>;
    const int64_t left = a_.width - channel, channels = depth * kChannels<T> < left ? depth * kChannels<T> : left;
    const T* weight = a_.weight + first_ * a_.width;
    if constexpr (std::is_same_v<T, Row<T>>) {
      if (!copied && read_in_place<T>(a_.width)) return {step, depth, weight + channel, a_.width};
    }
    auto* copies = reinterpret_cast<Row<T>*>(a_.scratch + kProductFloats - kCopiedFloats);
    constexpr int64_t kStep = kDepth * kChannels<T>;
    for (int64_t row = 0; row < rows_; ++row)
      copy_row(weight + row * a_.width + channel, channels, copies + row * kStep);
    return {step, depth, copies, kStep};
  }

  void add(const Chunk<T>& c, int64_t tile) const {
    const int64_t tokens = a_.count - tile * kTokens;
    const float* packed = a_.packed + tile * packed_floats(a_.width);
    float* sums = of(tile * kTokens);
    if (tokens <= kLanes) return add_chunk<T, 1>(c, packed, rows_, sums);
    if (tokens <= 2 * kLanes) return add_chunk<T, 2>(c, packed, rows_, sums);
    add_chunk<T, kVectors>(c, packed, rows_, sums);
  }

  const ProductPanel<T>& a_;
  int64_t first_, rows_;
  float* sums_;
};

/// Calls body(token, row) for each block of kLanes tokens and kLanes rows.
template <class Body>
[[gnu::always_inline]] inline void in_blocks(int64_t tokens, int64_t rows, const Body& body) {
  for (int64_t token = 0; token < tokens; token += kLanes) {
    for (int64_t row = 0; row < rows; row += kLanes) body(token, row);
  }
}

}  // namespace parity::cpu::PARITY_LEVEL
