// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Products of BF16 in the registers of the matrix unit (AMX): sixteen rows of sixteen words. A word of a left operand
// is a pair in one row, a word of a right operand is a pair in one column, a word of a sum is a float.
#pragma once

#include "optimized/cpu/simd/vector.hpp"
#include "optimized/cpu/tile_shapes.hpp"

#ifdef PARITY_LEVEL_amx_bf16
namespace parity::cpu::PARITY_LEVEL {

inline constexpr int64_t kTile = 16;  // rows, and words of a row
inline constexpr int64_t kTileWords = kTile * kTile;
inline constexpr int64_t kTileRow = kTile * sizeof(float);  // bytes

/// Configures the matrix unit for this thread during its lifetime. Other code configures the registers for itself.
class Tiles {
 public:
  Tiles() { _tile_loadconfig(&kTileShapes); }
  ~Tiles() { _tile_release(); }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;
};

/// Left operands: tiles at regular distances, in bytes.
struct TileRows {
  const void* data;
  int64_t row;    // to the next row of a tile
  int64_t depth;  // to the next tile along the sum
  int64_t next;   // to the tile of the next sixteen rows

  [[nodiscard]] const char* tile(int64_t l, int64_t k) const {
    return static_cast<const char*>(data) + l * next + k * depth;
  }
};

/// Right operands and their sums: columns of tiles at any addresses. Distances are in floats.
struct TileColumns {
  const float* const* data;
  int64_t row, depth;
  float* const* sums;
  int64_t sum_row, sum_next;  // `sum_next`: to the sums of the left operand's next sixteen rows

  [[nodiscard]] const float* tile(int64_t r, int64_t k) const { return data[r] + k * depth; }
  [[nodiscard]] float* sum(int64_t l, int64_t r) const { return sums[r] + l * sum_next; }
};

/// Returns columns that were packed tile after tile, with sums in the same layout.
[[gnu::always_inline]] inline TileColumns packed_columns(const float* const* data, float* const* sums) {
  return {data, kTile, kTileWords, sums, kTile, kTileWords};
}

/// Does no work between products.
struct NothingBetween {
  void operator()() const {}
};

/// Computes the sums at rows of tiles l, l + 1 and columns r, r + 1, or adds to them: left times right, `depth` tiles
/// long. `rows` and `columns` are 1 or 2, and do not change the order of a sum. `between` is called for every tile of
/// the depth, to use the vector units while the matrix unit works.
template <int rows, int columns, bool add, class Between = NothingBetween>
[[gnu::always_inline]] inline void multiply_tiles(const TileRows& left, int64_t l, const TileColumns& right, int64_t r,
                                                  int64_t depth, const Between& between = {}) {
  constexpr auto kFloat = static_cast<int64_t>(sizeof(float));
  const int64_t row = right.row * kFloat, sum_row = right.sum_row * kFloat;
  asm volatile("" ::: "memory");  // g++ 12 does not know that tiles are loaded from memory
  if constexpr (add) {
    _tile_loadd(0, right.sum(l, r), sum_row);
    if constexpr (rows == 2) _tile_loadd(1, right.sum(l + 1, r), sum_row);
    if constexpr (columns == 2) _tile_loadd(2, right.sum(l, r + 1), sum_row);
    if constexpr (rows == 2 && columns == 2) _tile_loadd(3, right.sum(l + 1, r + 1), sum_row);
  } else {
    _tile_zero(0);
    if constexpr (rows == 2) _tile_zero(1);
    if constexpr (columns == 2) _tile_zero(2);
    if constexpr (rows == 2 && columns == 2) _tile_zero(3);
  }
  const char *first = left.tile(l, 0), *second = first + (rows == 2 ? left.next : 0);
  const float *own = right.tile(r, 0), *other = right.tile(r + columns - 1, 0);
  const int64_t left_row = left.row, left_depth = left.depth, right_depth = right.depth;
  for (int64_t k = 0; k < depth; ++k) {
    _tile_loadd(6, own, row);
    _tile_loadd(4, first, left_row);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (rows == 2) {
      _tile_loadd(5, second, left_row);
      _tile_dpbf16ps(1, 5, 6);
    }
    if constexpr (columns == 2) {
      _tile_loadd(7, other, row);
      _tile_dpbf16ps(2, 4, 7);
    }
    if constexpr (rows == 2 && columns == 2) _tile_dpbf16ps(3, 5, 7);
    first += left_depth;
    second += left_depth;
    own += right_depth;
    other += right_depth;
    between();
  }
  _tile_stored(0, right.sum(l, r), sum_row);
  if constexpr (rows == 2) _tile_stored(1, right.sum(l + 1, r), sum_row);
  if constexpr (columns == 2) _tile_stored(2, right.sum(l, r + 1), sum_row);
  if constexpr (rows == 2 && columns == 2) _tile_stored(3, right.sum(l + 1, r + 1), sum_row);
}

/// Multiplies all `rows` of tiles by all `columns`, in twos.
template <bool add, class Between = NothingBetween>
[[gnu::always_inline]] inline void multiply_tiles(const TileRows& left, int64_t rows, const TileColumns& right,
                                                  int64_t columns, int64_t depth, const Between& between = {}) {
  for (int64_t l = 0; l < rows; l += 2) {
    for (int64_t r = 0; r < columns; r += 2) {
      const bool two_rows = l + 1 < rows, two_columns = r + 1 < columns;
      if (two_rows && two_columns) multiply_tiles<2, 2, add>(left, l, right, r, depth, between);
      if (two_rows && !two_columns) multiply_tiles<2, 1, add>(left, l, right, r, depth, between);
      if (!two_rows && two_columns) multiply_tiles<1, 2, add>(left, l, right, r, depth, between);
      if (!two_rows && !two_columns) multiply_tiles<1, 1, add>(left, l, right, r, depth, between);
    }
  }
}

}  // namespace parity::cpu::PARITY_LEVEL
#endif
