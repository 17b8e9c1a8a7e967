// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Softmax of rows that are met tile by tile, in binary32.
#pragma once

#include "optimized/cuda/device/attention_products.cuh"

namespace parity::optimized::cuda {

constexpr float kNothingYet = -INFINITY;  // the largest score of no scores

/// Of a lane's two rows. Lanes of a row share `largest`; each has its columns' part of `total`.
template <class Shape>
struct RunningSoftmax {
  float mixed[Shape::kChannels][4]{};
  float largest[2]{kNothingYet, kNothingYet}, total[2]{};
};

/// Scores that weights are powers against: a number, so that what is not seen weighs 0 and not NaN.
__device__ inline float base_of(float largest) { return largest == kNothingYet ? 0.0F : largest; }

/// Scores become weights of the larger of both maxima; what was mixed before is scaled to it. `whole`: sight.sees_all().
template <class Shape>
__device__ void weigh(RunningSoftmax<Shape>& softmax, float (&scores)[Shape::kColumns][4],
                      const AttentionSight<Shape::kKeys>& sight, bool whole, float exponent) {
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    float largest = softmax.largest[row];
#pragma unroll
    for (int i = 0; i < 2 * Shape::kColumns; ++i) scores[i / 2][2 * row + i % 2] *= exponent;
    if (!whole) {
#pragma unroll
      for (int i = 0; i < 2 * Shape::kColumns; ++i)
        if (!sight.sees(row, i)) scores[i / 2][2 * row + i % 2] = kNothingYet;
    }
#pragma unroll
    for (int i = 0; i < 2 * Shape::kColumns; ++i) largest = fmaxf(largest, scores[i / 2][2 * row + i % 2]);
    largest = fmaxf(largest, __shfl_xor_sync(kAllLanes, largest, 1));
    largest = fmaxf(largest, __shfl_xor_sync(kAllLanes, largest, 2));
    const float base = base_of(largest), shrink = exp2f(softmax.largest[row] - base);
    softmax.largest[row] = largest;
    float sum = 0.0F;
#pragma unroll
    for (int i = 0; i < 2 * Shape::kColumns; ++i) {
      float& score = scores[i / 2][2 * row + i % 2];
      score = exp2f(score - base);
      sum += score;
    }
    softmax.total[row] = softmax.total[row] * shrink + sum;
#pragma unroll
    for (int d = 0; d < Shape::kChannels; ++d) {
      softmax.mixed[d][2 * row] *= shrink;
      softmax.mixed[d][2 * row + 1] *= shrink;
    }
  }
}

/// A row that sees nothing: the mean of all values of a channel, or 0.
template <class T>
__device__ float blind_value(const AttentionParameters& p, const AttentionPlace& place, int32_t channel) {
  if (p.blind_weight == 0.0F) return 0.0F;
  float sum = 0.0F;
  for (int32_t j = 0; j < p.slots; ++j) sum += widen(*at<T>(p.v, place.batch, place.group, j, channel));
  return sum * p.blind_weight;
}

}  // namespace parity::optimized::cuda
