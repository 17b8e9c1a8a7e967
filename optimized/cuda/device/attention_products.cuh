// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The two products of attention on tiles in shared memory: BF16 by matrix instructions, binary32 by fused multiply-adds.
#pragma once

#include "optimized/cuda/device/attention_sight.cuh"
#include "optimized/cuda/device/mma.cuh"

namespace parity::optimized::cuda {

/// Loads like load_matrices, with each matrix transposed.
__device__ inline void load_transposed(uint32_t (&part)[4], uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(part[0]), "=r"(part[1]), "=r"(part[2]), "=r"(part[3])
               : "r"(row)
               : "memory");
}

/// scores (16, keys) = queries (16, width) keys^T.
template <class Shape>
__device__ void multiply_keys(float (&scores)[Shape::kColumns][4], const Bf16* queries, const Bf16* keys) {
  const uint32_t lane = threadIdx.x % kWarp;
  const uint32_t a_at = shared_address(queries + lane % 16 * Shape::kStride + lane / 16 * 8);
  const uint32_t b_at = shared_address(keys + (lane / 16 * 8 + lane % 8) * Shape::kStride + lane / 8 % 2 * 8);
#pragma unroll
  for (int d = 0; d < Shape::kChannels / 2; ++d) {
    uint32_t a[4];
    load_matrices(a, a_at + d * 32);
#pragma unroll
    for (int j = 0; j < Shape::kColumns / 2; ++j) {
      uint32_t b[4];
      load_matrices(b, b_at + j * 16 * Shape::kStride * 2 + d * 32);
      multiply_add(scores[2 * j], a, b[0], b[1]);
      multiply_add(scores[2 * j + 1], a, b[2], b[3]);
    }
  }
}

template <class Shape>
__device__ void multiply_keys(float (&scores)[Shape::kColumns][4], const float* queries, const float* keys) {
  const uint32_t lane = threadIdx.x % kWarp;
  const float *upper = queries + lane / 4 * Shape::kStride, *lower = upper + 8 * Shape::kStride;
  for (int d = 0; d < Shape::kStride - Shape::kPiece; d += 4) {
    const float4 a = *reinterpret_cast<const float4*>(upper + d), b = *reinterpret_cast<const float4*>(lower + d);
#pragma unroll
    for (int i = 0; i < 2 * Shape::kColumns; ++i) {
      const int column = i / 2 * kFragmentColumns + 2 * static_cast<int>(lane % 4) + i % 2;
      const float4 k = *reinterpret_cast<const float4*>(keys + column * Shape::kStride + d);
      float &x = scores[i / 2][i % 2], &y = scores[i / 2][2 + i % 2];
      x = fmaf(a.w, k.w, fmaf(a.z, k.z, fmaf(a.y, k.y, fmaf(a.x, k.x, x))));
      y = fmaf(b.w, k.w, fmaf(b.z, k.z, fmaf(b.y, k.y, fmaf(b.x, k.x, y))));
    }
  }
}

/// mixed (16, width) += weights (16, keys) values, key by key; a slot that a row does not see is left out, because 0
/// times infinity would be NaN. `value(slot, channel)` is of binary32.
template <class Shape, class Value>
__device__ void add_seen_values(float (&mixed)[Shape::kChannels][4], const float (&weights)[Shape::kColumns][4],
                                const Value& value, const AttentionSight<Shape::kKeys>& sight) {
  constexpr float unseen = -1.0F;  // no weight is negative
  const int lane = threadIdx.x % kWarp, first = lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < 2 * Shape::kColumns; ++i) {
    const float upper = sight.sees(0, i) ? weights[i / 2][i % 2] : unseen;
    const float lower = sight.sees(1, i) ? weights[i / 2][2 + i % 2] : unseen;
    for (int from = 0; from < 4; ++from) {
      const float x = __shfl_sync(kAllLanes, upper, lane / 4 * 4 + from);
      const float y = __shfl_sync(kAllLanes, lower, lane / 4 * 4 + from);
      const int slot = i / 2 * kFragmentColumns + i % 2 + 2 * from;
#pragma unroll
      for (int d = 0; d < Shape::kChannels; ++d) {
        const int channel = d * kFragmentColumns + first;
        const float v = value(slot, channel), w = value(slot, channel + 1);
        if (x != unseen) mixed[d][0] = fmaf(x, v, mixed[d][0]), mixed[d][1] = fmaf(x, w, mixed[d][1]);
        if (y != unseen) mixed[d][2] = fmaf(y, v, mixed[d][2]), mixed[d][3] = fmaf(y, w, mixed[d][3]);
      }
    }
  }
}

/// Of a tile whose rows are Shape::kStride apart.
template <class Shape, class T>
__device__ auto values_at(const T* values) {
  return [=](int slot, int channel) { return widen(values[slot * Shape::kStride + channel]); };
}

/// Whether a value of the tile is infinite or NaN.
template <class Shape>
__device__ bool any_special(const Bf16* values) {
  constexpr int pieces = Shape::kStride / Shape::kPiece - 1;
  constexpr uint32_t exponents = 0x7F807F80U, high = 0x7F800000U, low = 0x7F80U;
  bool found = false;
  for (int i = threadIdx.x % kWarp; i < Shape::kKeys * pieces; i += kWarp) {
    const uint4 piece =
        *reinterpret_cast<const uint4*>(values + i / pieces * Shape::kStride + i % pieces * Shape::kPiece);
    for (const uint32_t pair : {piece.x, piece.y, piece.z, piece.w}) {
      const uint32_t bits = pair & exponents;
      found = found || (bits & high) == high || (bits & low) == low;
    }
  }
  return __any_sync(kAllLanes, found) != 0;
}

/// mixed (16, width) += weights (16, keys) values; `sight` says of each weight whether its slot is seen, `whole`
/// whether all are.
template <class Shape>
__device__ void add_values(float (&mixed)[Shape::kChannels][4], const float (&weights)[Shape::kColumns][4],
                           const Bf16* values, const AttentionSight<Shape::kKeys>& sight, bool whole) {
  if (!whole && any_special<Shape>(values))
    return add_seen_values<Shape>(mixed, weights, values_at<Shape>(values), sight);
  const uint32_t lane = threadIdx.x % kWarp;
  const uint32_t b_at = shared_address(values + lane % 16 * Shape::kStride + lane / 16 * 8);
#pragma unroll
  for (int j = 0; j < Shape::kColumns / 2; ++j) {
    const float(&x)[4] = weights[2 * j], (&y)[4] = weights[2 * j + 1];
    const uint32_t a[4]{packed(x[0], x[1]), packed(x[2], x[3]), packed(y[0], y[1]), packed(y[2], y[3])};
#pragma unroll
    for (int d = 0; d < Shape::kChannels / 2; ++d) {
      uint32_t b[4];
      load_transposed(b, b_at + j * 16 * Shape::kStride * 2 + d * 32);
      multiply_add(mixed[2 * d], a, b[0], b[1]);
      multiply_add(mixed[2 * d + 1], a, b[2], b[3]);
    }
  }
}

template <class Shape>
__device__ void add_values(float (&mixed)[Shape::kChannels][4], const float (&weights)[Shape::kColumns][4],
                           const float* values, const AttentionSight<Shape::kKeys>& sight, bool) {
  add_seen_values<Shape>(mixed, weights, values_at<Shape>(values), sight);
}

}  // namespace parity::optimized::cuda
