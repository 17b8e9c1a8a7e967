// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Vectors of 16 bytes in memory, as numbers of binary32.
#pragma once

#include "optimized/cuda/device/element.cuh"

namespace parity::optimized::cuda {

/// Elements of a vector.
template <class T>
constexpr int kVector = 16 / static_cast<int>(sizeof(T));

/// `from` is aligned to 16 bytes.
template <class T>
__device__ void load_vector(const T* from, float (&to)[kVector<T>]) {
  const uint4 bits = *reinterpret_cast<const uint4*>(from);
  const uint32_t words[4]{bits.x, bits.y, bits.z, bits.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if constexpr (sizeof(T) == sizeof(float)) {
      to[i] = __uint_as_float(words[i]);
    } else {
      to[2 * i] = __uint_as_float(words[i] << 16U);
      to[2 * i + 1] = __uint_as_float(words[i] & 0xFFFF0000U);
    }
  }
}

/// Rounds each number to T once.
template <class T>
__device__ void store_vector(T* to, const float (&from)[kVector<T>]) {
  uint32_t words[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if constexpr (sizeof(T) == sizeof(float)) {
      words[i] = __float_as_uint(from[i]);
    } else {
      words[i] = narrow<Bf16>(from[2 * i]).bits | uint32_t{narrow<Bf16>(from[2 * i + 1]).bits} << 16U;
    }
  }
  *reinterpret_cast<uint4*>(to) = make_uint4(words[0], words[1], words[2], words[3]);
}

}  // namespace parity::optimized::cuda
