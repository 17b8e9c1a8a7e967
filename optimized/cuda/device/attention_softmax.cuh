// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Softmax in binary32 of rows whose scores come tile by tile.
#pragma once

#include "optimized/cuda/device/attention_products.cuh"

namespace parity::optimized::cuda {

constexpr float kNothingYet = -INFINITY;  // the largest score of no scores

/// The softmax of a lane's two rows. All lanes of a row have the same `largest`; each has the part of `total` of its
/// columns.
template <class Shape>
struct RunningSoftmax {
  float mixed[Shape::kChannels][4]{};
  float largest[2]{kNothingYet, kNothingYet}, total[2]{};
};

/// The score that is subtracted before powers are taken. It is finite, so that an invisible slot has the weight 0 and
/// not NaN.
__device__ inline float base_of(float largest) { return largest == kNothingYet ? 0.0F : largest; }

template <class Shape>
__device__ void hide_unseen(float (&scores)[Shape::kColumns][4], const AttentionSight<Shape::kKeys>& sight) {
#pragma unroll
  for (int row = 0; row < 2; ++row) {
#pragma unroll
    for (int i = 0; i < 2 * Shape::kColumns; ++i) {
      float& score = scores[i / 2][2 * row + i % 2];
      score = sight.sees(row, i) ? score : kNothingYet;
    }
  }
}

/// Turns scores into weights relative to the larger of the old and the new maximum, and rescales the sums so far to it.
template <class Shape>
__device__ void weigh(RunningSoftmax<Shape>& softmax, float (&scores)[Shape::kColumns][4], float exponent) {
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    float largest = softmax.largest[row];
#pragma unroll
    for (int i = 0; i < 2 * Shape::kColumns; ++i) {
      float& score = scores[i / 2][2 * row + i % 2];
      score *= exponent;
      largest = fmaxf(largest, score);
    }
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

/// At the end: the whole total in every lane of a row.
template <class Shape>
__device__ void join_totals(RunningSoftmax<Shape>& softmax) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    softmax.total[i] += __shfl_xor_sync(kAllLanes, softmax.total[i], 1);
    softmax.total[i] += __shfl_xor_sync(kAllLanes, softmax.total[i], 2);
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
