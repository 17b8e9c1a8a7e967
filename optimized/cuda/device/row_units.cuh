// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A row of numbers as the threads that share it out read and write it: in vectors, or one by one.
#pragma once

#include "optimized/cuda/device/row_blocks.cuh"

namespace parity::optimized::cuda {

/// A row as it is in memory. Without vectors a thread takes the same elements: sums do not depend on the layout.
template <class T>
struct PlainRow {
  const T* x;
  int64_t stride;
  bool vectors;

  /// Elements i and on: one, or as many as whole vectors have.
  template <int count>
  __device__ void load(int64_t i, float (&to)[count]) const {
    if (count == 1 || !vectors) {
#pragma unroll
      for (int k = 0; k < count; ++k) to[k] = widen(x[(i + k) * stride]);
    } else if constexpr (count > 1) {
#pragma unroll
      for (int first = 0; first < count; first += kVector<T>) {
        float part[kVector<T>];
        load_vector(x + i + first, part);
#pragma unroll
        for (int k = 0; k < kVector<T>; ++k) to[first + k] = part[k];
      }
    }
  }
};

template <int count, class T>
__device__ void store(T* out, int64_t stride, int64_t i, const float (&from)[count], bool vectors) {
  if (count == 1 || !vectors) {
#pragma unroll
    for (int k = 0; k < count; ++k) out[(i + k) * stride] = narrow<T>(from[k]);
  } else if constexpr (count > 1) {
    store_vector(out + i, from);
  }
}

/// Elements that a thread takes at a time, as a type.
template <int count>
struct Unit {
  static constexpr int kElements = count;
};

/// Calls visit(i, Unit) for the units of a row that are this thread's: all whole ones, then what is left one by one.
template <int count, class Visit>
__device__ void each_unit(int64_t width, const Visit& visit) {
  const int64_t whole = width / count * count;
  for (int64_t i = int64_t{threadIdx.x} * count; i < whole; i += int64_t{blockDim.x} * count) visit(i, Unit<count>{});
  for (int64_t i = whole + threadIdx.x; i < width; i += blockDim.x) visit(i, Unit<1>{});
}

}  // namespace parity::optimized::cuda
