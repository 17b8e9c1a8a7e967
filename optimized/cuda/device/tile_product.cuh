// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The product of a tile of rows with a tile of weight rows, by the warps of a block.
#pragma once

#include "optimized/cuda/device/mma.cuh"
#include "optimized/cuda/device/tile_rows.cuh"

namespace parity::optimized::cuda {

/// kRows x kColumns sums, shared out to kDown x kAcross warps in pieces of 16 x 8.
template <int rows, int columns, int down, int across, int stages>
struct TileShape {
  static constexpr int kRows = rows, kColumns = columns, kStages = stages, kThreads = 32 * down * across;
  static constexpr int kWarpRows = rows / down, kWarpColumns = columns / across, kAcross = across;
  static constexpr int kHigh = kWarpRows / 16, kWide = kWarpColumns / 8;  // pieces of a warp
  static constexpr int kStageBytes = (rows + columns) * kRowBytes;
  static constexpr int kSharedBytes = stages * kStageBytes;
};

/// For many rows, and for some.
using LargeTile = TileShape<128, 128, 2, 4, 3>;
using SmallTile = TileShape<32, 64, 2, 2, 4>;

/// Lane q of four gets word q of each of them, in their order. All lanes of the warp call it.
__device__ inline void turn_quad(uint32_t (&words)[4]) {
#pragma unroll
  for (int distance = 1; distance < 4; distance *= 2) {
    const bool upper = (threadIdx.x & static_cast<uint32_t>(distance)) != 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if ((i & distance) != 0) continue;
      const uint32_t low = words[i], high = words[i | distance];
      const uint32_t got = __shfl_xor_sync(0xFFFFFFFFU, upper ? low : high, distance);
      words[i] = upper ? got : low;
      words[i | distance] = upper ? high : got;
    }
  }
}

/// `words` of eight numbers, of which `left` are stored. `to` is aligned to 16 bytes.
__device__ inline void store_eight(Bf16* to, const uint4& words, int64_t left) {
  if (left >= kVector<Bf16>) {
    *reinterpret_cast<uint4*>(to) = words;
    return;
  }
  const uint32_t each[4]{words.x, words.y, words.z, words.w};
  for (int64_t i = 0; i < left; ++i) to[i].bits = static_cast<uint16_t>(each[i / 2] >> (i % 2 * 16));
}

/// What a thread holds of the sums: of each piece of 16 x 8 four, as multiply_add(sum, ...) lays them out.
template <class Shape>
struct TileSums {
  float of[Shape::kHigh][Shape::kWide][4] = {};

  __device__ static int first_row() { return static_cast<int>(threadIdx.x) / 32 / Shape::kAcross * Shape::kWarpRows; }
  __device__ static int first_column() {
    return static_cast<int>(threadIdx.x) / 32 % Shape::kAcross * Shape::kWarpColumns;
  }
  /// visit(row, column, sums at column and at the next)
  template <class Visit>
  __device__ void each(const Visit& visit) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < Shape::kHigh; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = first_row() + 16 * i + 8 * half + lane / 4;
#pragma unroll
        for (int j = 0; j < Shape::kWide; ++j)
          visit(row, first_column() + 8 * j + lane % 4 * 2, of[i][j][2 * half], of[i][j][2 * half + 1]);
      }
    }
  }
  /// Eight neighbours of BF16 at a time, so that a row's results are whole sectors: pair(row, column, sums at column and at the
  /// next) -> both rounded, in one word, then store(row, column of the first, words). Both are called beyond the tile's end, too.
  template <class Pair, class Store>
  __device__ void each_eight(const Pair& pair, const Store& store) const {
    static_assert(Shape::kWide == 4, "a quad of lanes holds as many pieces as it has lanes");
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < Shape::kHigh; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = first_row() + 16 * i + 8 * half + lane / 4;
        uint32_t words[4];
#pragma unroll
        for (int j = 0; j < 4; ++j)
          words[j] = pair(row, first_column() + 8 * j + lane % 4 * 2, of[i][j][2 * half], of[i][j][2 * half + 1]);
        turn_quad(words);
        store(row, first_column() + lane % 4 * 8, make_uint4(words[0], words[1], words[2], words[3]));
      }
    }
  }
  /// Where each second piece of eight columns belongs to the one before: visit(row, column of the joined ones, both sums at it).
  template <class Visit>
  __device__ void each_joined(const Visit& visit) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
    for (int i = 0; i < Shape::kHigh; ++i) {
#pragma unroll
      for (int j = 0; j < Shape::kWide; j += 2) {
#pragma unroll
        for (int k = 0; k < 4; ++k)
          visit(first_row() + 16 * i + k / 2 * 8 + lane / 4, first_column() / 2 + 4 * j + lane % 4 * 2 + k % 2,
                of[i][j][k], of[i][j + 1][k]);
      }
    }
  }
};

/// As TileSums::each_joined of two pieces, four neighbours of BF16 at a time: result(row, column, both sums) -> number, then
/// store(row, column of the first, words). Both are called beyond the tile's end, too.
template <class Shape, class Result, class Store>
__device__ void each_joined_four(const TileSums<Shape>& sums, const Result& result, const Store& store) {
  static_assert(Shape::kWide == 4, "two pieces of a row are shared by a quad of lanes");
  const int lane = static_cast<int>(threadIdx.x) % 32, quad = lane % 4, from = lane - quad + quad % 2 * 2;
#pragma unroll
  for (int i = 0; i < 2 * Shape::kHigh; ++i) {
    const int row = sums.first_row() + 8 * i + lane / 4, column = sums.first_column() / 2, k = i % 2 * 2;
    uint2 words[2];
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const float(&first)[4] = sums.of[i / 2][2 * j], (&second)[4] = sums.of[i / 2][2 * j + 1];
      const int at = column + 8 * j + 2 * quad;
      const uint32_t own =
          packed(result(row, at, first[k], second[k]), result(row, at + 1, first[k + 1], second[k + 1]));
      words[j] = make_uint2(__shfl_sync(0xFFFFFFFFU, own, from), __shfl_sync(0xFFFFFFFFU, own, from + 1));
    }
    store(row, column + 4 * quad, quad < 2 ? words[0] : words[1]);
  }
}

/// Adds one stage: rows at `stage`, weight rows after them.
template <class Shape>
__device__ void add_stage(TileSums<Shape>& sums, const char*, uint32_t stage, Bf16) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const uint32_t weights = stage + Shape::kRows * kRowBytes;
#pragma unroll
  for (int step = 0; step < kChunks / 2; ++step) {  // 16 channels
    uint32_t a[Shape::kHigh][4];
#pragma unroll
    for (int i = 0; i < Shape::kHigh; ++i)
      load_matrices(a[i], stage + place_of(sums.first_row() + 16 * i + lane % 16, 2 * step + lane / 16));
#pragma unroll
    for (int j = 0; j < Shape::kWide; j += 2) {
      uint32_t b[4];
      const int row = sums.first_column() + 8 * j + lane % 8 + lane / 16 * 8;
      load_matrices(b, weights + place_of(row, 2 * step + lane / 8 % 2));
#pragma unroll
      for (int i = 0; i < Shape::kHigh; ++i) {
        multiply_add(sums.of[i][j], a[i], b[0], b[1]);
        multiply_add(sums.of[i][j + 1], a[i], b[2], b[3]);
      }
    }
  }
}

/// The same sums in the same places without matrix instructions, which have no binary32 operands.
template <class Shape>
__device__ void add_stage(TileSums<Shape>& sums, const char* stage, uint32_t, float) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const char* weights = stage + Shape::kRows * kRowBytes;
  for (int chunk = 0; chunk < kChunks; ++chunk) {
    float4 a[2 * Shape::kHigh];
#pragma unroll
    for (int i = 0; i < 2 * Shape::kHigh; ++i)
      a[i] = *reinterpret_cast<const float4*>(stage + place_of(sums.first_row() + 8 * i + lane / 4, chunk));
#pragma unroll
    for (int j = 0; j < 2 * Shape::kWide; ++j) {
      const int row = sums.first_column() + 8 * (j / 2) + lane % 4 * 2 + j % 2;
      const float4 b = *reinterpret_cast<const float4*>(weights + place_of(row, chunk));
#pragma unroll
      for (int i = 0; i < 2 * Shape::kHigh; ++i) {
        float& sum = sums.of[i / 2][j / 2][i % 2 * 2 + j % 2];
        sum += a[i].x * b.x;
        sum += a[i].y * b.y;
        sum += a[i].z * b.z;
        sum += a[i].w * b.w;
      }
    }
  }
}

/// Sums over channels [first, last), `first` a multiple of kDepth. `memory` has Shape::kSharedBytes. Stages are filled
/// kStages - 1 ahead: one barrier tells that the next is there and that the last may be overwritten.
template <class T, class Shape, class Left, class Right>
__device__ void multiply(TileSums<Shape>& sums, char* memory, const Left& left, const Right& right, int64_t first,
                         int64_t last) {
  const uint32_t base = shared_address(memory);
  const int64_t stages = (last - first + kDepth<T> - 1) / kDepth<T>;
  const auto fill = [&](int64_t i) {
    const auto at = static_cast<uint32_t>(i % Shape::kStages * Shape::kStageBytes);
    constexpr uint32_t kRight = Shape::kRows * kRowBytes;
    left.load(base + at, memory + at, first + i * kDepth<T>);
    right.load(base + at + kRight, memory + at + kRight, first + i * kDepth<T>);
  };
  for (int64_t i = 0; i < Shape::kStages - 1; ++i) {
    if (i < stages) fill(i);
    commit_copies();
  }
  for (int64_t i = 0; i < stages; ++i) {
    wait_for_copies<Shape::kStages - 2>();
    __syncthreads();
    if (i + Shape::kStages - 1 < stages) fill(i + Shape::kStages - 1);
    commit_copies();
    const auto at = static_cast<uint32_t>(i % Shape::kStages * Shape::kStageBytes);
    add_stage(sums, memory + at, base + at, T{});
  }
}

}  // namespace parity::optimized::cuda
