// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A stage of a tiled product with quantised rows: codes are decoded to T on their way into shared memory.
#pragma once

#include "optimized/cuda/device/coded_vector.cuh"
#include "optimized/cuda/device/tile_rows.cuh"

namespace parity::optimized::cuda {

/// Has the interface of TileRows: loads rows from `first` on of a matrix of codes, decoded to T.
template <class T, int kRows, int kThreads>
class TileCodes {
 public:
  __device__ TileCodes(const CodedRows& rows, int64_t first) : rows_(rows), first_(first) {}

  __device__ void load(uint32_t, char* memory, int64_t channel) const {
    if (rows_.vectors != 0) {
      load_vectors(memory, channel);
    } else {
      load_elements(memory, channel);
    }
  }

 private:
  static constexpr int kParts = kDepth<T> / kCodes;  // of a row
  static constexpr int kEach = kRows * kParts / kThreads;
  static_assert(kEach * kThreads == kRows * kParts, "every thread decodes as much");

  /// All loads of a thread are under way before the first is decoded.
  __device__ void load_vectors(char* memory, int64_t channel) const {
    CodedVector fetched[kEach];
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int part = static_cast<int>(threadIdx.x) + i * kThreads;
      const int64_t n = first_ + part / kParts, k = channel + part % kParts * kCodes;
      fetched[i] = n < rows_.rows && k < rows_.width ? fetch_codes(rows_, n, k) : CodedVector{};
    }
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int part = static_cast<int>(threadIdx.x) + i * kThreads;
      float numbers[kCodes];
      decode<T>(fetched[i], numbers);
      store(memory, part / kParts, part % kParts, numbers);
    }
  }

  __device__ static void store(char* memory, int row, int part, const float (&numbers)[kCodes]) {
    constexpr int kVectors = kCodes / kVector<T>;
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      float some[kVector<T>];
#pragma unroll
      for (int i = 0; i < kVector<T>; ++i) some[i] = numbers[v * kVector<T> + i];
      store_vector<T>(reinterpret_cast<T*>(memory + place_of(row, part * kVectors + v)), some);
    }
  }

  __device__ void load_elements(char* memory, int64_t channel) const {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < kRows * kDepth<T>; i += kThreads) {
      const int row = i / kDepth<T>, k = i % kDepth<T>;
      const bool inside = first_ + row < rows_.rows && channel + k < rows_.width;
      auto* to = reinterpret_cast<T*>(memory + place_of(row, k / kVector<T>)) + k % kVector<T>;
      *to = narrow<T>(inside ? scaled_code(rows_, first_ + row, channel + k) : 0.0F);
    }
  }

  const CodedRows& rows_;
  int64_t first_;
};

}  // namespace parity::optimized::cuda
