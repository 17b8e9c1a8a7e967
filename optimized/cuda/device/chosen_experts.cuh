// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A warp's token in a router: which experts it goes to, and what their weights are made of.
#pragma once

#include "optimized/cuda/device/element.cuh"
#include "optimized/cuda/device/largest.cuh"

namespace parity::optimized::cuda {

struct ExpertRow {
  Operand<1> forced, scores, indices;                                               // (T) i64 or null, (E) f32, (T) i64
  int64_t experts, slots;

  /// Returns the score of an expert, and 0 for an id that no expert has.
  __device__ float score(int64_t id) const { return id >= 0 && id < experts ? *at<float>(scores, id) : 0.0F; }
};

/// The forced experts, or the best: choice(e) is asked for experts of the own lane, whose `scores` the lane has written.
/// store(t, score, sum of the slots' scores) in one lane for each slot.
template <class Choice, class Store>
__device__ void weigh_chosen(const ExpertRow& row, const Choice& choice, const Store& store) {
  const uint32_t lane = threadIdx.x % kWarp;
  if (row.forced.data != nullptr) {
    for (int64_t t = lane; t < row.slots; t += kWarp) *at<int64_t>(row.indices, t) = *at<int64_t>(row.forced, t);
  } else {
    const auto below = [&](uint64_t bound) {
      uint64_t best = 0;
      for (int64_t e = lane; e < row.experts; e += kWarp) {
        const uint64_t key = key_of(choice(e), e);
        best = key < bound && key > best ? key : best;
      }
      return best;
    };
    each_largest(row.slots, below, warp_largest, [&](int64_t t, uint64_t key) {
      if (lane == t % kWarp) *at<int64_t>(row.indices, t) = index_of_key(key);
    });
  }
  __syncwarp();  // other lanes' scores and indices
  float total = 0.0F;
  for (int64_t t = 0; t < row.slots; ++t) total += row.score(*at<int64_t>(row.indices, t));
  for (int64_t t = lane; t < row.slots; t += kWarp) store(t, row.score(*at<int64_t>(row.indices, t)), total);
}

}  // namespace parity::optimized::cuda
