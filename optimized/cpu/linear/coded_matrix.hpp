// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A quantised matrix in memory: e4m3 codes, and one scale for each block of them.
#pragma once

#include "core/tensor.hpp"
#include "optimized/cpu/linear/product_tile.hpp"

namespace parity::cpu {

inline void decode_rows(const CodedSingle& args) { decode_rows_f32(args); }
inline void decode_rows(const CodedHalf& args) { decode_rows_bf16(args); }
inline void coded_few(const CodedFewSingle& args) { coded_few_f32(args); }
inline void coded_few(const CodedFewHalf& args) { coded_few_bf16(args); }

/// Returns all rows of codes (N, K) with scales (P, Q). With `exponents` the scales are exponents, as in MXFP8.
template <class T>
[[nodiscard]] CodedRows<T> coded_rows(const TensorView& codes, const TensorView& scales, bool exponents) {
  PARITY_CHECK(codes.contiguous() && scales.contiguous() && codes.dtype == DType::e4m3fn, internal,
               "quantised matrices are read as dense codes and scales");
  const auto scale_type = exponents ? DType::u8 : DType::f32;
  PARITY_CHECK(scales.dtype == scale_type, internal, "scales are {}, expected {}", to_string(scales.dtype),
               to_string(scale_type));
  const int64_t width = codes.shape.back(), rows = width == 0 ? 0 : codes.count() / width;
  PARITY_CHECK(rows % scales.shape[0] == 0 && width % scales.shape[1] == 0, schema,
               "a matrix of {} x {} codes cannot be divided among {} x {} scales", rows, width, scales.shape[0],
               scales.shape[1]);
  return {reinterpret_cast<const uint8_t*>(codes.data),
          exponents ? reinterpret_cast<const uint8_t*>(scales.data) : nullptr,
          exponents ? nullptr : reinterpret_cast<const float*>(scales.data),
          width,
          width / scales.shape[1],
          rows / scales.shape[0],
          0,
          rows,
          nullptr};
}

}  // namespace parity::cpu
