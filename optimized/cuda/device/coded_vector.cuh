// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Numbers of a quantised matrix, decoded in registers.
#pragma once

#include "optimized/cuda/device/any.cuh"
#include "optimized/cuda/device/vector.cuh"
#include "optimized/cuda/linear/coded_rows.hpp"

namespace parity::optimized::cuda {

__device__ inline float scale_of(const CodedRows& rows, int64_t n, int64_t k) {
  const uint32_t p = static_cast<uint32_t>(n) / rows.block_rows, q = static_cast<uint32_t>(k) / rows.block_columns;
  const float stored = load_any(rows.scales, p, q);
  return rows.exponents != 0 ? power_of(static_cast<uint32_t>(stored)) : stored;
}

/// The number at (n, k) before it is rounded to the working type.
__device__ inline float scaled_code(const CodedRows& rows, int64_t n, int64_t k) {
  const float code = load_any(rows.codes, n, k);
  return rows.scales.at.data == nullptr ? code : code * scale_of(rows, n, k);
}

/// The codes of a row that are loaded together and decoded later, so that the loads overlap with other work.
struct CodedVector {
  uint4 codes;
  float scale;
};

/// kCodes codes from k on, of one block.
__device__ inline CodedVector fetch_codes(const CodedRows& rows, int64_t n, int64_t k) {
  const auto* from = static_cast<const uint8_t*>(rows.codes.at.data) + n * rows.codes.at.stride[0] + k;
  return {*reinterpret_cast<const uint4*>(from), scale_of(rows, n, k)};
}

/// Numbers of T, widened.
template <class T>
__device__ void decode(const CodedVector& vector, float (&numbers)[kCodes]) {
  const uint32_t words[4]{vector.codes.x, vector.codes.y, vector.codes.z, vector.codes.w};
#pragma unroll
  for (int i = 0; i < kCodes; ++i)
    numbers[i] = widen(narrow<T>(number_of_code(words[i / 4] >> (i % 4 * 8U) & 0xFFU) * vector.scale));
}

template <class T>
__device__ void load_codes(const CodedRows& rows, int64_t n, int64_t k, float (&numbers)[kCodes]) {
  decode<T>(fetch_codes(rows, n, k), numbers);
}

}  // namespace parity::optimized::cuda
