// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The sum of one element over ranks, each addition rounded to the type that ranks exchange.
#pragma once

#include "optimized/cuda/device/element.cuh"

namespace parity::optimized::cuda {

/// One element in the memory of every rank.
template <class T>
struct Parts {
  const Operand<2>* parts;
  int64_t n, h;

  __device__ float of(int rank) const { return widen(at<T>(parts[rank], n, h)[0]); }
};

template <class T>
__device__ float added(float a, float b) {
  return widen(narrow<T>(a + b));
}

template <class T>
__device__ float sum_from(const Parts<T>& parts, int rank, int step, int ranks) {
  float total = parts.of(rank);
  for (int i = 1; i < ranks; ++i) {
    rank = rank + step < ranks ? rank + step : rank + step - ranks;
    total = added<T>(total, parts.of(rank));
  }
  return total;
}

/// Adds neighbours, then neighbouring sums. A rank without a neighbour waits for the sums of more ranks before it.
template <class T>
__device__ float tree_sum(const Parts<T>& parts, int ranks) {
  float sums[7];  // of complete subtrees of 1, 2, 4, … ranks, as a binary counter has them
  int level = 0;
  for (int r = 0; r < ranks; ++r) {
    float sum = parts.of(r);
    for (level = 0; (r >> level & 1) != 0; ++level) sum = added<T>(sums[level], sum);
    sums[level] = sum;
  }
  float total = 0.0F;
  bool any = false;
  for (level = 0; ranks >> level != 0; ++level) {
    if ((ranks >> level & 1) == 0) continue;
    total = any ? added<T>(sums[level], total) : sums[level];
    any = true;
  }
  return total;
}

}  // namespace parity::optimized::cuda
