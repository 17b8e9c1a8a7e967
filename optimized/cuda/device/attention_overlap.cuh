// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which tiles of rows are computed key block by key block, and which tokens of a window chose a key block.
#pragma once

#include "optimized/cuda/attention/attention_outer.hpp"
#include "optimized/cuda/device/attention_lists.cuh"

namespace parity::optimized::cuda {

/// A block for each tile of rows and sequence. A tile of n tokens that choose e key blocks altogether, u of them different,
/// loads and multiplies u n / e times what its tokens need: above 2.2 it is cheaper to write parts and join them.
__device__ inline void measure_tile(const AttentionParameters& p) {
  __shared__ int32_t listed[kMostListed];
  __shared__ int32_t chosen, different;
  const auto tile = static_cast<int32_t>(blockIdx.x % p.row_tiles),
             sequence = static_cast<int32_t>(blockIdx.x / p.row_tiles);
  const AttentionPlace place{0, sequence / p.groups, sequence % p.groups, sequence, 0};
  const int64_t first = int64_t{tile} * p.tile_rows, last = min(first + p.tile_rows, p.rows);
  const auto tokens = static_cast<int32_t>((last - first) / p.heads), entries = tokens * p.list_length;
  if (threadIdx.x == 0) chosen = different = 0;
  for (int32_t i = threadIdx.x; i < entries; i += blockDim.x)
    listed[i] = listed_block(p, place, first / p.heads + i / p.list_length, i % p.list_length);
  __syncthreads();
  for (int32_t i = threadIdx.x; i < entries; i += blockDim.x) {
    if (listed[i] == kNoTile) continue;
    atomicAdd(&chosen, 1);
    bool earlier = false;
    for (int32_t j = 0; j < i && !earlier; ++j) earlier = listed[j] == listed[i];
    if (!earlier) atomicAdd(&different, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) p.by_key_block[blockIdx.x] = static_cast<int32_t>(5 * different * tokens > 11 * chosen);
}

/// A thread for each entry of the lists of a window, for each sequence. Bits do not depend on who sets them first.
__device__ inline void note_choice(const AttentionOuterParameters& given) {
  const AttentionParameters& p = given.of;
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x, entries = given.tokens * p.list_length;
  if (i >= entries * p.sequences) return;
  const auto sequence = static_cast<int32_t>(i / entries), t = static_cast<int32_t>(i % p.list_length);
  const AttentionPlace place{0, sequence / p.groups, sequence % p.groups, sequence, 0};
  const int64_t of_window = i % entries / p.list_length, token = given.first_token + of_window;
  if (!by_key_block(p, sequence, token * p.heads)) return;
  const int32_t block = listed_block(p, place, token, t);
  if (block == kNoTile) return;
  uint32_t* const words = given.chosen + (int64_t{sequence} * given.key_blocks + block) * given.words;
  atomicOr(words + of_window / kWordTokens, 1U << (of_window % kWordTokens));
}

/// The tokens of a piece of a window that chose a key block, in ascending order. In shared memory.
struct OuterQueue {
  int32_t token[kPieceTokens];  // of the window
  int32_t part[kPieceTokens];   // the place of the key block in its list
  uint32_t words[kPieceTokens / kWordTokens];
  int32_t count;

  /// By all threads; it is there after the barrier.
  __device__ void fill(const AttentionOuterParameters& given, const AttentionPlace& place, int32_t block,
                       int32_t piece) {
    constexpr int32_t kWords = kPieceTokens / kWordTokens;
    const uint32_t* const of_block =
        given.chosen + (int64_t{place.sequence} * given.key_blocks + block) * given.words + int64_t{piece} * kWords;
    const int32_t there = min(kWords, given.words - piece * kWords);
    for (int32_t w = threadIdx.x; w < kWords; w += blockDim.x) words[w] = w < there ? of_block[w] : 0;
    __syncthreads();
    for (int32_t i = threadIdx.x; i <= kPieceTokens; i += blockDim.x) {
      const int32_t word = i / kWordTokens;
      int32_t before = 0;
      for (int32_t w = 0; w < word; ++w) before += __popc(words[w]);
      if (i == kPieceTokens) {
        count = before;
        continue;
      }
      const uint32_t bit = 1U << (i % kWordTokens);
      if ((words[word] & bit) == 0) continue;
      before += __popc(words[word] & (bit - 1));
      token[before] = piece * kPieceTokens + i;
      part[before] = place_in_list(given.of, place, given.first_token + token[before], block);
    }
    __syncthreads();
  }
};

}  // namespace parity::optimized::cuda
