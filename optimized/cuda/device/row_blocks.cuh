// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The row of a thread, where a block has several, and rows that only move.
#pragma once

#include "optimized/cuda/device/vector.cuh"

namespace parity::optimized::cuda {

/// The row of this thread, in blocks of shape (threads of a row, rows).
__device__ inline int64_t row_of_thread() { return int64_t{blockIdx.x} * blockDim.y + threadIdx.y; }

/// How many elements of a row are moved as vectors; the rest are moved one by one.
template <class T>
__device__ int64_t in_vectors(int64_t width, bool vectors) {
  return vectors ? width / kVector<T> * kVector<T> : 0;
}

/// Bits as they are, or zeros where `from` is null. Strides are those of the channels.
template <class T>
__device__ void move_row(T* to, int64_t to_stride, const T* from, int64_t from_stride, int64_t width, bool vectors) {
  const int64_t whole = in_vectors<T>(width, vectors);
  for (int64_t i = int64_t{threadIdx.x} * kVector<T>; i < whole; i += int64_t{blockDim.x} * kVector<T>) {
    const uint4 bits = from == nullptr ? make_uint4(0, 0, 0, 0) : *reinterpret_cast<const uint4*>(from + i);
    *reinterpret_cast<uint4*>(to + i) = bits;
  }
  for (int64_t i = whole + threadIdx.x; i < width; i += blockDim.x)
    to[i * to_stride] = from == nullptr ? T{} : from[i * from_stride];
}

}  // namespace parity::optimized::cuda
