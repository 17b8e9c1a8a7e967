// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tiles of queries, keys and values in shared memory, and which element of a product a lane holds.
#pragma once

#include "optimized/cuda/attention/attention.hpp"
#include "optimized/cuda/device/block_join.cuh"
#include "optimized/cuda/device/copy_async.cuh"
#include "optimized/cuda/device/element.cuh"

namespace parity::optimized::cuda {

constexpr int kFragmentRows = 16;  // of a warp: a lane holds columns 2 (lane % 4) and the next of rows lane / 4 and + 8
constexpr int kFragmentColumns = 8;
constexpr int kStages = 2;  // tiles of keys and values: one is computed with, one is under way

template <class T, int width, int warps>
struct AttentionShape {
  static constexpr int kRows = kFragmentRows * warps, kKeys = sizeof(T) == 2 ? 64 : 32, kThreads = 32 * warps;
  static constexpr int kPiece = kCopied / static_cast<int>(sizeof(T));
  /// Rows begin an odd number of 16-byte pieces apart, so that eight neighbouring rows lie in different banks.
  static constexpr int kStride = width + kPiece;
  static constexpr int kTile = kKeys * kStride;
  static constexpr int kElements = kRows * kStride + 2 * kStages * kTile;
  static constexpr int kColumns = kKeys / kFragmentColumns, kChannels = width / kFragmentColumns;
};

/// Rows [0, rows) of a tile, with zeros beyond the operand's width and where `source(row)` is null.
template <class Shape, class T, class Source>
__device__ void load_rows(const AttentionParameters& p, T* target, int rows, int64_t channel, const Source& source) {
  constexpr int pieces = Shape::kStride / Shape::kPiece - 1;
  if (p.copies) {
    for (int i = threadIdx.x; i < rows * pieces; i += Shape::kThreads) {
      const int row = i / pieces, d = i % pieces * Shape::kPiece;
      const T* from = source(row);
      const bool there = from != nullptr && d < p.width;
      copy_async(shared_address(target + row * Shape::kStride + d), there ? from + d : p.q.data, there ? kCopied : 0);
    }
    return;
  }
  constexpr int width = pieces * Shape::kPiece;
  for (int i = threadIdx.x; i < rows * width; i += Shape::kThreads) {
    const int row = i / width, d = i % width;
    const T* from = source(row);
    target[row * Shape::kStride + d] = from != nullptr && d < p.width ? from[d * channel] : T{};
  }
}

/// Rows of keys or values from `first` on, `count` of a tile.
template <class Shape, class T>
__device__ void load_keys(const AttentionParameters& p, T* target, const Operand<4>& x, const T* first, int count) {
  constexpr int pieces = Shape::kStride / Shape::kPiece - 1, at_once = Shape::kThreads / pieces;
  const int64_t stride = x.stride[2];
  if constexpr (Shape::kThreads % pieces == 0) {
    if (p.copies && count == Shape::kKeys && p.width == pieces * Shape::kPiece) {  // a thread keeps its piece of a row
      const int row = static_cast<int>(threadIdx.x) / pieces,
                d = static_cast<int>(threadIdx.x) % pieces * Shape::kPiece;
      const uint32_t to = shared_address(target + row * Shape::kStride + d);
      const T* from = first + row * stride + d;
#pragma unroll 8
      for (int i = 0; i < Shape::kKeys; i += at_once, from += at_once * stride)
        copy_async(to + i * Shape::kStride * static_cast<int>(sizeof(T)), from, kCopied);
      return;
    }
  }
  load_rows<Shape>(p, target, Shape::kKeys, x.stride[3],
                   [&](int row) { return row < count ? first + row * stride : nullptr; });
}

/// Where a block works.
struct AttentionPlace {
  int64_t first;  // row
  int32_t batch, group, sequence, split;
};

/// Rows of a group are neighbours in the grid, those that see most come first.
template <class Shape>
__device__ AttentionPlace attention_place(const AttentionParameters& p) {
  const auto tile = static_cast<int32_t>(blockIdx.x % p.row_tiles),
             rest = static_cast<int32_t>(blockIdx.x / p.row_tiles);
  const int32_t sequence = rest % p.sequences;
  return {int64_t{p.row_tiles - 1 - tile} * Shape::kRows, sequence / p.groups, sequence % p.groups, sequence,
          rest / p.sequences};
}

/// Where a row of queries begins; null beyond the last row.
template <class T>
__device__ const T* query_row(const AttentionParameters& p, const AttentionPlace& place, int64_t row) {
  if (row >= p.rows) return nullptr;
  return at<T>(p.q, place.batch, place.group * p.heads + row % p.heads, row / p.heads);
}

template <class T>
__device__ T* output_row(const AttentionParameters& p, const AttentionPlace& place, int64_t row) {
  return at<T>(p.out, place.batch, row / p.heads, place.group * p.heads + row % p.heads);
}

}  // namespace parity::optimized::cuda
