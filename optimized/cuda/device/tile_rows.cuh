// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A stage of a tiled product in shared memory: rows of 128 bytes, filled while the stages before are multiplied.
#pragma once

#include "optimized/cuda/device/any.cuh"
#include "optimized/cuda/device/copy_async.cuh"
#include "optimized/cuda/device/vector.cuh"

namespace parity::optimized::cuda {

constexpr int kRowBytes = 128, kChunks = kRowBytes / kCopied;  // of a stage

/// Channels of a stage.
template <class T>
constexpr int kDepth = kRowBytes / static_cast<int>(sizeof(T));

/// Where a chunk of a row lies. Eight neighbouring rows hold the same chunk in different banks.
__device__ inline uint32_t place_of(int row, int chunk) {
  return static_cast<uint32_t>(row * kRowBytes + (chunk ^ (row % kChunks)) * kCopied);
}

/// What a row is read from; a null pointer is a row of zeros.
struct RowSource {
  const void* data;
  int64_t stride;  // of channels
  Element element;
  bool vectors;
};

/// Copies kRows rows of a stage, each thread the same chunk of some rows.
template <class T, int kRows, int kThreads>
class TileRows {
 public:
  /// source(row) -> RowSource, all of one kind.
  template <class Source>
  __device__ TileRows(int64_t width, const Source& source) : width_(width) {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const RowSource row = source(row_of_thread(i));
      rows_[i] = row.data;
      stride_ = row.stride;
      element_ = row.element;
      vectors_ = row.vectors;
    }
  }

  /// Channels from `first` on, zeros after the row's end. `stage` is an address in shared memory.
  __device__ void load(uint32_t stage, char* memory, int64_t first) const {
    const int chunk = static_cast<int>(threadIdx.x) % kChunks;
    const int64_t channel = first + chunk * kVector<T>;
    const int64_t left = width_ - channel;
    const int count = left < 0 ? 0 : left < kVector<T> ? static_cast<int>(left) : kVector<T>;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int row = row_of_thread(i), some = rows_[i] == nullptr ? 0 : count;
      if (vectors_) {
        const auto* from = static_cast<const T*>(rows_[i]) + (some == 0 ? 0 : channel);
        if (some > 0)
          copy_async(stage + place_of(row, chunk), from, some * static_cast<int>(sizeof(T)));
        else
          clear(memory + place_of(row, chunk));
      } else {
        load_elements(reinterpret_cast<T*>(memory + place_of(row, chunk)), rows_[i], channel, some);
      }
    }
  }

 private:
  static constexpr int kRowsAtOnce = kThreads / kChunks, kEach = kRows / kRowsAtOnce;
  static_assert(kEach * kRowsAtOnce == kRows, "every thread copies as many rows");

  __device__ static int row_of_thread(int i) { return static_cast<int>(threadIdx.x) / kChunks + i * kRowsAtOnce; }
  __device__ static void clear(char* to) { *reinterpret_cast<uint4*>(to) = make_uint4(0, 0, 0, 0); }
  /// Tiles of 16-bit numbers are read from numbers of the same type only.
  __device__ T element(const void* row, int64_t i) const {
    if constexpr (sizeof(T) == sizeof(Bf16))
      return static_cast<const T*>(row)[i];
    else
      return load_any(element_, row, i);
  }
  __device__ void load_elements(T* to, const void* row, int64_t channel, int some) const {
#pragma unroll 1
    for (int k = 0; k < kVector<T>; ++k) to[k] = k < some ? element(row, (channel + k) * stride_) : T{};
  }

  const void* rows_[kEach];
  int64_t stride_, width_;
  Element element_;
  bool vectors_;
};

}  // namespace parity::optimized::cuda
