// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The results of a block of attention: rows of the output, or of a part that combine() joins with others.
#pragma once

#include "optimized/cuda/device/attention_softmax.cuh"

namespace parity::optimized::cuda {

constexpr float kBlind = -1.0F;  // instead of the sum of weights in a part that sees nothing

/// Index of a row of a part in AttentionParameters::statistics and, times D, in mixtures.
__device__ inline int64_t part_row(const AttentionParameters& p, const AttentionPlace& place, int32_t split,
                                   int64_t row) {
  return (int64_t{split} * p.sequences + place.sequence) * p.rows + row;
}

template <class T>
__device__ void store(T* to, float low, float high) {
  if constexpr (sizeof(T) == 2) {
    *reinterpret_cast<uint32_t*>(to) = packed(low, high);
  } else {
    *reinterpret_cast<float2*>(to) = make_float2(low, high);
  }
}

/// `seeing`: the warp's rows that see something. `staged`: room for the warp's rows in shared memory.
template <class Shape, class T>
__device__ void write_rows(const AttentionParameters& p, const AttentionPlace& place,
                           const RunningSoftmax<Shape>& softmax, int64_t first, uint32_t seeing, T* staged) {
  constexpr int pieces = Shape::kStride / Shape::kPiece - 1;
  const int lane = threadIdx.x % kWarp;
  __syncwarp();  // nobody still reads the queries
#pragma unroll
  for (int d = 0; d < Shape::kChannels; ++d) {
    T* to = staged + lane / 4 * Shape::kStride + d * kFragmentColumns + lane % 4 * 2;
    store(to, softmax.mixed[d][0] / softmax.total[0], softmax.mixed[d][1] / softmax.total[0]);
    store(to + 8 * Shape::kStride, softmax.mixed[d][2] / softmax.total[1], softmax.mixed[d][3] / softmax.total[1]);
  }
  __syncwarp();
  for (int i = lane; p.stores && i < kFragmentRows * pieces; i += kWarp) {
    const int row = i / pieces, d = i % pieces * Shape::kPiece;
    if (first + row >= p.rows || d >= p.width || (seeing >> row & 1U) == 0) continue;
    *reinterpret_cast<uint4*>(output_row<T>(p, place, first + row) + d) =
        *reinterpret_cast<const uint4*>(staged + row * Shape::kStride + d);
  }
  for (int i = lane; !p.stores && i < kFragmentRows * p.width; i += kWarp) {
    const int row = i / p.width, d = i % p.width;
    if (first + row >= p.rows || (seeing >> row & 1U) == 0) continue;
    output_row<T>(p, place, first + row)[d * p.out.stride[3]] = staged[row * Shape::kStride + d];
  }
}

template <class T>
__device__ void write_blind_rows(const AttentionParameters& p, const AttentionPlace& place, int64_t first,
                                 uint32_t seeing) {
  const int rows = static_cast<int>(min(p.rows - first, int64_t{kFragmentRows}));
  const uint32_t blind = ~seeing & static_cast<uint32_t>(low_bits(rows));
  for (int d = threadIdx.x % kWarp; blind != 0 && d < p.width; d += kWarp) {
    const T value = narrow<T>(blind_value<T>(p, place, d));
    for (uint32_t rest = blind; rest != 0; rest &= rest - 1)
      output_row<T>(p, place, first + __ffs(static_cast<int>(rest)) - 1)[d * p.out.stride[3]] = value;
  }
}

/// Where results of parts of rows lie.
struct AttentionParts {
  float *mixtures, *statistics;
};

/// where(row) -> the index of the part of the warp's row, -1 where there is none.
template <class Shape, class Where>
__device__ void write_part(const AttentionParts& parts, int32_t width, const RunningSoftmax<Shape>& softmax,
                           uint32_t seeing, const Where& where) {
  const int lane = threadIdx.x % kWarp;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int row = lane / 4 + 8 * i;
    const int64_t to = where(row);
    if (to < 0) continue;
    const bool sees = (seeing >> row & 1U) != 0;
    if (lane % 4 == 0)
      reinterpret_cast<float2*>(parts.statistics)[to] =
          make_float2(softmax.largest[i], sees ? softmax.total[i] : kBlind);
    if (!sees) continue;
#pragma unroll
    for (int d = 0; d < Shape::kChannels; ++d) {
      const int channel = d * kFragmentColumns + lane % 4 * 2;
      float* const mixture = parts.mixtures + to * width + channel;
      if (channel + 1 < width && width % 2 == 0) {
        *reinterpret_cast<float2*>(mixture) = make_float2(softmax.mixed[d][2 * i], softmax.mixed[d][2 * i + 1]);
        continue;
      }
      if (channel < width) mixture[0] = softmax.mixed[d][2 * i];
      if (channel + 1 < width) mixture[1] = softmax.mixed[d][2 * i + 1];
    }
  }
}

/// The part of a call that is divided into p.splits.
template <class Shape>
__device__ void write_own_part(const AttentionParameters& p, const AttentionPlace& place,
                               const RunningSoftmax<Shape>& softmax, int64_t first, uint32_t seeing) {
  write_part({p.mixtures, p.statistics}, p.width, softmax, seeing, [&](int row) {
    return first + row < p.rows ? part_row(p, place, place.split, first + row) : int64_t{-1};
  });
}

/// Writes a row of the output from `count` parts, in their order. where(s) as in write_part().
template <class T, class Where>
__device__ void join_parts(const AttentionParameters& p, const AttentionPlace& place, const AttentionParts& parts,
                           int32_t count, const Where& where) {
  float largest = kNothingYet;
  bool sees = false;
  for (int32_t s = 0; s < count; ++s) {
    const int64_t from = where(s);
    if (from < 0) continue;
    sees = sees || parts.statistics[2 * from + 1] != kBlind;
    largest = fmaxf(largest, parts.statistics[2 * from]);
  }
  const float base = base_of(largest);
  for (int d = threadIdx.x; d < p.width; d += blockDim.x) {
    float total = 0.0F, mixed = 0.0F;
    for (int32_t s = 0; s < count; ++s) {
      const int64_t from = where(s);
      if (from < 0 || parts.statistics[2 * from + 1] == kBlind) continue;
      const float shrink = exp2f(parts.statistics[2 * from] - base);
      total += parts.statistics[2 * from + 1] * shrink;
      mixed += parts.mixtures[from * p.width + d] * shrink;
    }
    const float value = sees ? mixed / total : blind_value<T>(p, place, d);
    output_row<T>(p, place, place.first)[d * p.out.stride[3]] = narrow<T>(value);
  }
}

/// A block for each row of a call that is divided.
template <class T>
__device__ void combine(const AttentionParameters& p) {
  const auto sequence = static_cast<int32_t>(blockIdx.x / p.rows);
  const int64_t row = blockIdx.x % p.rows;
  if (by_key_block(p, sequence, row)) return;
  const AttentionPlace place{row, sequence / p.groups, sequence % p.groups, sequence, 0};
  join_parts<T>(p, place, {p.mixtures, p.statistics}, p.splits, [&](int32_t s) { return part_row(p, place, s, row); });
}

}  // namespace parity::optimized::cuda
