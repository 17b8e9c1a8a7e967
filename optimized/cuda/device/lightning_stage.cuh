// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Operands of lightning attention, and how a tile of them comes into shared memory: through registers, where decays apply.
#pragma once

#include "optimized/cuda/device/slice.cuh"
#include "optimized/cuda/device/tile_product.cuh"
#include "optimized/cuda/lightning/lightning_parameters.hpp"

namespace parity::optimized::cuda {

using LightningTile = TileShape<64, 64, 2, 2, 1>;
constexpr int kLightningSide = LightningTile::kRows;

template <class T>
__device__ float rounded(bool rounds, float x) {
  return rounds ? widen(narrow<T>(x)) : x;
}

template <int rank>
__device__ float load_at(const LightningOperand<rank>& operand, const int64_t (&place)[rank]) {
  int64_t offset = 0;
  for (int axis = 0; axis < rank; ++axis) offset += place[axis] * operand.at.stride[axis];
  return load_any(operand.element, operand.at.data, offset);
}
template <int rank>
__device__ void store_at(const LightningOperand<rank>& operand, const int64_t (&place)[rank], float number) {
  if (operand.at.data == nullptr) return;
  int64_t offset = 0;
  for (int axis = 0; axis < rank; ++axis) offset += place[axis] * operand.at.stride[axis];
  if (operand.element == Element::f32)
    static_cast<float*>(operand.at.data)[offset] = number;
  else
    static_cast<Bf16*>(operand.at.data)[offset] = narrow<Bf16>(number);
}

/// Tokens of one head from `first` on, zeros outside of [0, count) and of the channels.
template <class T>
struct LightningTokens {
  Operand<2> at;
  int64_t first, count, width;
  bool vectors;

  __device__ void load(int64_t token, int64_t channel, float (&numbers)[kVector<T>]) const {
    const T* row = static_cast<const T*>(at.data) + (first + token) * at.stride[0];
    if (vectors && token < count && channel + kVector<T> <= width) return load_vector(row + channel, numbers);
#pragma unroll
    for (int i = 0; i < kVector<T>; ++i)
      numbers[i] = token < count && channel + i < width ? widen(row[(channel + i) * at.stride[1]]) : 0.0F;
  }
};

/// A stage of rows by channels: load(row, channel, numbers) gives kEach neighbouring channels.
template <class Tile, int kEach, class Load>
__device__ void stage_rows(char* to, const Load& load) {
  constexpr int kAcross = kDepth<Tile> / kEach;
  for (int i = static_cast<int>(threadIdx.x); i < kLightningSide * kAcross; i += LightningTile::kThreads) {
    const int row = i / kAcross, channel = i % kAcross * kEach;
    float numbers[kEach];
    load(row, channel, numbers);
#pragma unroll
    for (int part = 0; part < kEach; part += kVector<Tile>) {
      float some[kVector<Tile>];
#pragma unroll
      for (int j = 0; j < kVector<Tile>; ++j) some[j] = numbers[part + j];
      store_vector(reinterpret_cast<Tile*>(to + place_of(row, (channel + part) / kVector<Tile>)), some);
    }
  }
}

/// Like stage_rows, for operands in which neighbouring rows are contiguous: load(channel, row, numbers) gives kEach
/// neighbouring rows. Neighbouring lanes write neighbouring channels, which lie in different banks.
template <class Tile, int kEach, class Load>
__device__ void stage_columns(char* to, const Load& load) {
  for (int i = static_cast<int>(threadIdx.x); i < kLightningSide / kEach * kDepth<Tile>; i += LightningTile::kThreads) {
    const int channel = i % kDepth<Tile>, row = i / kDepth<Tile> * kEach;
    float numbers[kEach];
    load(channel, row, numbers);
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      char* chunk = to + place_of(row + j, channel / kVector<Tile>);
      reinterpret_cast<Tile*>(chunk)[channel % kVector<Tile>] = narrow<Tile>(numbers[j]);
    }
  }
}

/// Adds the product of the stages that fill() has written. `memory` has LightningTile::kSharedBytes.
template <class Tile, class Fill>
__device__ void add_filled(TileSums<LightningTile>& sums, char* memory, const Fill& fill) {
  __syncthreads();  // nobody still reads the last stage
  fill(memory, memory + kLightningSide * kRowBytes);
  __syncthreads();
  add_stage(sums, memory, shared_address(memory), Tile{});
}

/// One head's block of tokens.
template <class T>
struct LightningBlock {
  int64_t b, a, j, first, count;  // the block's tokens
  LightningTokens<T> q, k, v;
  float* cells;                                                                                                // (D, D)

  /// `index`: of (B, A, J)
  __device__ LightningBlock(const LightningParameters& p, int64_t index) {
    j = index % p.blocks;
    a = index / p.blocks % p.heads;
    b = index / p.blocks / p.heads;
    first = j * p.size;
    count = p.tokens - first < p.size ? p.tokens - first : p.size;
    const auto tokens = [&](const Operand<4>& x) {
      return LightningTokens<T>{slice<T>(slice<T>(x, b), a), first, count, p.width, p.vectors};
    };
    q = tokens(p.q);
    k = tokens(p.k);
    v = tokens(p.v);
    cells = p.cells + index * p.width * p.width;
  }
};

}  // namespace parity::optimized::cuda
