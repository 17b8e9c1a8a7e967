// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A row of numbers as the threads that share it out read and write it: in vectors, or one by one.
#pragma once

#include "optimized/cuda/device/row_blocks.cuh"

namespace parity::optimized::cuda {

/// A row as it is in memory.
template <class T>
struct PlainRow {
  const T* x;
  int64_t stride;

  /// Elements i and on: one, or as many as whole vectors have.
  template <int count>
  __device__ void load(int64_t i, float (&to)[count]) const {
    if constexpr (count == 1) {
      to[0] = widen(x[i * stride]);
    } else {
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
__device__ void store(T* out, int64_t stride, int64_t i, const float (&from)[count]) {
  if constexpr (count == 1) {
    out[i * stride] = narrow<T>(from[0]);
  } else {
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
