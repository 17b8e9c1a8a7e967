// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One block's tile of a product, from its operands to its results.
#pragma once

#include "optimized/cuda/device/bias.cuh"
#include "optimized/cuda/device/tile_product.cuh"

namespace parity::optimized::cuda {

/// Two numbers, together where `pairs` says that all of such are aligned.
__device__ inline void store_two(float* to, float first, float second, bool both, bool pairs) {
  if (both && pairs) {
    *reinterpret_cast<float2*>(to) = make_float2(first, second);
    return;
  }
  to[0] = first;
  if (both) to[1] = second;
}

/// Results at f, which is even, and, where it exists, f + 1.
__device__ inline void store_pair(const ProductOperands& p, int64_t n, int64_t f, float first, float second) {
  const bool both = f + 1 < p.rows;
  if (p.partial != nullptr)
    return store_two(p.partial + (blockIdx.z * p.tokens + n) * p.rows + f, first, second, both, p.rows % 2 == 0);
  first = biased(p, f, first);
  if (both) second = biased(p, f + 1, second);
  if (p.out.vectors != 0 && p.out.element == Element::f32)
    return store_two(static_cast<float*>(p.out.at.data) + n * p.out.at.stride[0] + f, first, second, both, true);
  store_any(p.out, n, f, first);
  if (both) store_any(p.out, n, f + 1, second);
}

/// The results of a tile whose first is at n, f, in rows of whole sectors.
template <class Shape>
__device__ void store_tile(const ProductOperands& p, const TileSums<Shape>& sums, int64_t n, int64_t f) {
  sums.each_eight(
      [&](int, int column, float a, float b) {
        const int64_t at = f + column;
        return packed(at < p.rows ? biased(p, at, a) : 0.0F, at + 1 < p.rows ? biased(p, at + 1, b) : 0.0F);
      },
      [&](int row, int column, const uint4& words) {
        if (n + row >= p.tokens) return;
        Bf16* const to = static_cast<Bf16*>(p.out.at.data) + (n + row) * p.out.at.stride[0] + f + column;
        store_eight(to, words, p.rows - f - column);
      });
}

__device__ inline RowSource source_of(const Rows& rows, int64_t n, int64_t count) {
  return {n < count ? row_of(rows, n) : nullptr, rows.at.stride[1], rows.element, rows.vectors != 0};
}

/// blockIdx: tile of tokens, tile of the weight's rows, piece of the channels. `weight` loads the stages of its tile.
template <class T, class Shape, class Weight>
__device__ void product_tile(const ProductOperands& p, char* memory, const Weight& weight) {
  const int64_t n = static_cast<int64_t>(blockIdx.x) * Shape::kRows;
  const int64_t f = static_cast<int64_t>(blockIdx.y) * Shape::kColumns;
  const int64_t first = blockIdx.z * p.piece, last = first + p.piece < p.width ? first + p.piece : p.width;
  const TileRows<T, Shape::kRows, Shape::kThreads> tokens(p.width,
                                                          [&](int row) { return source_of(p.x, n + row, p.tokens); });
  TileSums<Shape> sums;
  multiply<T>(sums, memory, tokens, weight, first, last);
  if (p.partial == nullptr && p.out.vectors != 0 && p.out.element == Element::bf16) return store_tile(p, sums, n, f);
  sums.each([&](int row, int column, float a, float b) {
    if (n + row < p.tokens && f + column < p.rows) store_pair(p, n + row, f + column, a, b);
  });
}

/// Adds the pieces of one sum, in their order.
__device__ inline void add_pieces(const ProductOperands& p) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, count = p.tokens * p.rows;
  if (i >= count) return;
  float sum = 0.0F;
  for (int64_t piece = 0; piece < p.pieces; ++piece) sum += p.partial[piece * count + i];
  store_any(p.out, i / p.rows, i % p.rows, biased(p, i % p.rows, sum));
}

}  // namespace parity::optimized::cuda
