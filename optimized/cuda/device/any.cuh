// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Elements whose type is known only when the kernel runs.
#pragma once

#include "optimized/cuda/device/codes.cuh"
#include "optimized/cuda/device/element.cuh"
#include "optimized/cuda/rows.hpp"

namespace parity::optimized::cuda {

__device__ inline int64_t bytes_of(Element element) {
  switch (element) {
    case Element::i64:
      return 8;
    case Element::f32:
      return 4;
    case Element::bf16:
    case Element::f16:
      return 2;
    default:
      return 1;
  }
}

/// Element `i` after `from`, rounded to binary32 where its type is wider.
__device__ inline float load_any(Element element, const void* from, int64_t i) {
  switch (element) {
    case Element::f32:
      return static_cast<const float*>(from)[i];
    case Element::bf16:
      return widen(static_cast<const Bf16*>(from)[i]);
    case Element::f16: {
      float number;
      asm("cvt.f32.f16 %0, %1;" : "=f"(number) : "h"(static_cast<const uint16_t*>(from)[i]));
      return number;
    }
    case Element::e4m3fn:
      return number_of_code(static_cast<const uint8_t*>(from)[i]);
    case Element::u8:
      return static_cast<float>(static_cast<const uint8_t*>(from)[i]);
    default:
      return static_cast<float>(static_cast<const int64_t*>(from)[i]);
  }
}
__device__ inline float load_any(const Rows& rows, int64_t n, int64_t k) {
  return load_any(rows.element, rows.at.data, n * rows.at.stride[0] + k * rows.at.stride[1]);
}

/// Where a row begins.
__device__ inline const void* row_of(const Rows& rows, int64_t n) {
  return static_cast<const char*>(rows.at.data) + n * rows.at.stride[0] * bytes_of(rows.element);
}

/// `number` rounded to the type, which is f32 or bf16.
__device__ inline void store_any(const Rows& rows, int64_t n, int64_t k, float number) {
  const int64_t i = n * rows.at.stride[0] + k * rows.at.stride[1];
  if (rows.element == Element::f32) {
    static_cast<float*>(rows.at.data)[i] = number;
  } else {
    static_cast<Bf16*>(rows.at.data)[i] = narrow<Bf16>(number);
  }
}

}  // namespace parity::optimized::cuda
