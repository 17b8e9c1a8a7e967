// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One block's tile of a product, from its operands to its results.
#pragma once

#include "optimized/cuda/device/bias.cuh"
#include "optimized/cuda/device/tile_product.cuh"

namespace parity::optimized::cuda {

/// Results at f and, where it exists, f + 1.
__device__ inline void store_pair(const ProductOperands& p, int64_t n, int64_t f, float first, float second) {
  const bool both = f + 1 < p.rows;
  if (p.partial != nullptr) {
    float* to = p.partial + (blockIdx.z * p.tokens + n) * p.rows + f;
    to[0] = first;
    if (both) to[1] = second;
    return;
  }
  first = biased(p, f, first);
  if (both) second = biased(p, f + 1, second);
  if (both && p.out.vectors != 0 && p.out.element == Element::bf16) {  // f is even
    *(static_cast<uint32_t*>(p.out.at.data) + (n * p.out.at.stride[0] + f) / 2) =
        narrow<Bf16>(first).bits | uint32_t{narrow<Bf16>(second).bits} << 16U;
    return;
  }
  store_any(p.out, n, f, first);
  if (both) store_any(p.out, n, f + 1, second);
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
