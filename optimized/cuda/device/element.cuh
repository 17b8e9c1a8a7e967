// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Elements in memory, and as the numbers of binary32 that kernels compute with.
#pragma once

#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

/// The layout of core/dtype.hpp's BFloat16.
struct Bf16 {
  uint16_t bits;
};

__device__ inline float widen(float x) { return x; }
__device__ inline float widen(Bf16 x) { return __uint_as_float(uint32_t{x.bits} << 16U); }

/// One rounding to T, to nearest, ties to even.
template <class T>
__device__ T narrow(float x);
template <>
__device__ inline float narrow<float>(float x) {
  return x;
}
template <>
__device__ inline Bf16 narrow<Bf16>(float x) {
  Bf16 result;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(x));
  return result;
}

/// Where an element lies; with fewer indices than axes, where what they select begins: `at<T>(x, n)` is row n.
template <class T, int rank, class... Index>
__device__ T* at(const Operand<rank>& operand, Index... indices) {
  static_assert(sizeof...(Index) <= rank, "more indices than axes");
  T* place = static_cast<T*>(operand.data);
  int axis = 0;
  ((place += int64_t{indices} * operand.stride[axis++]), ...);
  return place;
}

}  // namespace parity::optimized::cuda
