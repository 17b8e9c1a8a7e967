// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The tiles of keys that the rows of a block of attention ask for together. Without lists these are all tiles up to the
// last that a row sees; with lists those of the union of its tokens' lists, and which token asks for which.
#pragma once

#include "optimized/cuda/attention/attention_sm90.hpp"
#include "optimized/cuda/device/attention_sight.cuh"

namespace parity::optimized::cuda {

constexpr int kUnionKeys = 64;  // of a tile

/// In shared memory.
struct BlockUnion {
  uint64_t tokens[kMostUnion];  // bit i: token i of the block's rows asks for the key block
  int32_t block[kMostUnion];    // ascending
  int32_t listed[kMostUnion];   // entries of the lists, or kNoTile
  int32_t fresh[kMostUnion];    // the same without those that an earlier entry names
  int32_t count, end;           // key blocks of the union; behind the last tile that a row sees
};

class UnionWalk {
 public:
  /// `memory` is filled before tiles are asked for. Rows [place.first, + rows).
  __device__ UnionWalk(const AttentionParameters& p, const AttentionPlace& place, int rows, BlockUnion& memory)
      : p_(p), place_(place), memory_(memory), token_(place.first / p.heads) {
    const int64_t last = min(place.first + rows, p.rows) - 1;
    tokens_ = static_cast<int32_t>(last / p.heads - token_) + 1;
  }

  /// By all threads, once. `end`: of the caller's rows.
  __device__ void fill(int32_t end) {
    const int32_t entries = p_.lists.data == nullptr ? 0 : tokens_ * p_.list_length;
    for (int32_t i = threadIdx.x; i < entries; i += blockDim.x) memory_.tokens[i] = 0;
    if (threadIdx.x == 0) memory_.count = memory_.end = 0;
    __syncthreads();
    if (threadIdx.x % kWarp == 0) atomicMax(&memory_.end, end);
    __syncthreads();
    for (int32_t i = threadIdx.x; i < entries; i += blockDim.x) memory_.listed[i] = entry(i);
    __syncthreads();
    for (int32_t i = threadIdx.x; i < entries; i += blockDim.x) memory_.fresh[i] = fresh(i);
    __syncthreads();
    for (int32_t i = threadIdx.x; i < entries; i += blockDim.x) enter(i, entries);
    __syncthreads();
  }

  /// Tiles are counted by units: those of a key block follow each other.
  [[nodiscard]] __device__ int32_t begin() const { return place_.split; }
  [[nodiscard]] __device__ int32_t after(int32_t unit) const { return unit + p_.splits; }
  [[nodiscard]] __device__ bool ends_at(int32_t unit) const {
    return p_.lists.data == nullptr ? unit >= memory_.end : unit >= memory_.count * p_.parts;
  }
  [[nodiscard]] __device__ int32_t number(int32_t unit) const {
    return p_.lists.data == nullptr ? unit : memory_.block[unit / p_.parts] * p_.parts + unit % p_.parts;
  }
  /// Whether some row may see some of the tile.
  [[nodiscard]] __device__ bool asked(int32_t unit) const {
    const int32_t tile = number(unit);
    return tile < memory_.end && attention_tile<kUnionKeys>(p_, tile).count > 0;
  }
  [[nodiscard]] __device__ uint64_t tokens(int32_t unit) const {
    return p_.lists.data == nullptr ? ~uint64_t{0} : memory_.tokens[unit / p_.parts];
  }
  [[nodiscard]] __device__ int64_t first_token() const { return token_; }

 private:
  [[nodiscard]] __device__ int32_t entry(int32_t i) const {
    const int32_t block = listed_block(p_, place_, token_ + i / p_.list_length, i % p_.list_length);
    return block != kNoTile && int64_t{block} * p_.parts < memory_.end ? block : kNoTile;
  }
  [[nodiscard]] __device__ int32_t fresh(int32_t i) const {
    for (int32_t j = 0; j < i; ++j)
      if (memory_.listed[j] == memory_.listed[i]) return kNoTile;
    return memory_.listed[i];
  }
  /// A key block's place is how many others are smaller; the first entry that names it writes it down.
  __device__ void enter(int32_t i, int32_t entries) const {
    const int32_t block = memory_.listed[i];
    if (block == kNoTile) return;
    int32_t smaller = 0;
    for (int32_t j = 0; j < entries; ++j) smaller += memory_.fresh[j] < block ? 1 : 0;
    if (memory_.fresh[i] == block) memory_.block[smaller] = block;
    atomicMax(&memory_.count, smaller + 1);
    atomicOr(reinterpret_cast<unsigned long long*>(&memory_.tokens[smaller]), 1ULL << (i / p_.list_length));
  }

  const AttentionParameters& p_;
  const AttentionPlace& place_;
  BlockUnion& memory_;
  int64_t token_;
  int32_t tokens_;
};

}  // namespace parity::optimized::cuda
