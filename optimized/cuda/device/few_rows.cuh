// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Products of a few tokens with every row of a weight: each row is read once, by all threads of a block.
#pragma once

#include "optimized/cuda/device/bias.cuh"
#include "optimized/cuda/device/block_sum.cuh"
#include "optimized/cuda/device/vector.cuh"

namespace parity::optimized::cuda {

constexpr int kFewThreads = 128;

/// sums[m][r] += weight row f + m times token r over the channels of this thread. `Weight` has kStep, the channels that
/// it loads at a time, load(row, channel, numbers) and one(row, channel). Channels after the last whole vector are read
/// one by one.
template <class T, int kTokens, int kRows, class Weight>
__device__ void add_few(float (&sums)[kRows][kTokens], const Rows& x, int64_t tokens, const Weight& weight, int64_t f) {
  constexpr int kStep = Weight::kStep;
  const int64_t whole = weight.vectors ? weight.width / kStep * kStep : 0;
  const auto token = [&](int r) { return r < tokens ? r : tokens - 1; };
  for (int64_t k = static_cast<int64_t>(threadIdx.x) * kStep; k < whole; k += int64_t{kFewThreads} * kStep) {
    float numbers[kRows][kStep];
#pragma unroll
    for (int m = 0; m < kRows; ++m) weight.load(f + m, k, numbers[m]);
#pragma unroll
    for (int r = 0; r < kTokens; ++r) {
      const T* channels_of_token = static_cast<const T*>(x.at.data) + token(r) * x.at.stride[0] + k;
#pragma unroll
      for (int part = 0; part < kStep; part += kVector<T>) {
        float channels[kVector<T>];
        load_vector(channels_of_token + part, channels);
#pragma unroll
        for (int m = 0; m < kRows; ++m) {
#pragma unroll
          for (int i = 0; i < kVector<T>; ++i) sums[m][r] += channels[i] * numbers[m][part + i];
        }
      }
    }
  }
  // The same thread adds the same channels in the same order as with vectors: layouts do not change the bits.
  const int64_t begin = whole / kStep;
  const int64_t mine = begin + (threadIdx.x + kFewThreads - begin % kFewThreads) % kFewThreads;
#pragma unroll 1
  for (int64_t step = mine; step * kStep < weight.width; step += kFewThreads) {
#pragma unroll 1
    for (int64_t k = step * kStep; k < weight.width && k < (step + 1) * kStep; ++k) {
      float numbers[kRows];
#pragma unroll
      for (int m = 0; m < kRows; ++m) numbers[m] = weight.one(f + m, k);
#pragma unroll
      for (int r = 0; r < kTokens; ++r) {
        const float channel = load_any(x, token(r), k);
#pragma unroll
        for (int m = 0; m < kRows; ++m) sums[m][r] += channel * numbers[m];
      }
    }
  }
}

/// Results of the rows of this block. Rows after the last are computed again as the last one.
template <class T, int kTokens, int kRows, class Weight>
__device__ void few_rows(const ProductOperands& p, const Weight& weight) {
  constexpr int kWarps = kFewThreads / static_cast<int>(kWarp), kSums = kRows * kTokens;
  __shared__ float of_warp[kWarps][kSums];
  float sums[kRows][kTokens] = {};
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kRows;
  add_few<T>(sums, p.x, p.tokens, weight, first);
#pragma unroll
  for (int i = 0; i < kSums; ++i) {
    const float sum = warp_sum(sums[i / kTokens][i % kTokens]);
    if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp][i] = sum;
  }
  __syncthreads();
  const int i = static_cast<int>(threadIdx.x), r = i % kTokens;
  const int64_t f = first + i / kTokens;
  if (i >= kSums || f >= p.rows || r >= p.tokens) return;
  float sum = 0.0F;
  for (int warp = 0; warp < kWarps; ++warp) sum += of_warp[warp][i];
  store_any(p.out, r, f, biased(p, f, sum));
}

}  // namespace parity::optimized::cuda
