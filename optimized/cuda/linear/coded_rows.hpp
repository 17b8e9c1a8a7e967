// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A matrix of codes with a scale per block, as kernels are given it.
#pragma once

#include "optimized/cuda/rows.hpp"

namespace parity::optimized::cuda {

/// Codes that are loaded at a time.
inline constexpr int kCodes = 16;

struct CodedRows {
  Rows codes, scales;                  // scales.at.data is null where the codes are the numbers
  int64_t rows, width;                 // of codes
  uint32_t block_rows, block_columns;  // of a scale
  int32_t exponents;                   // scales are those of MXFP8
  int32_t vectors;                     // e4m3 codes that can be loaded kCodes at a time, with one scale
};

}  // namespace parity::optimized::cuda

#ifndef __CUDACC__

#include <limits>

#include "optimized/cuda/host_rows.hpp"

namespace parity::optimized::cuda {

/// Throws Error{schema} if the matrix of codes cannot be divided into one block for each scale.
[[nodiscard]] inline CodedRows coded_rows_of(const TensorView& codes, const TensorView& scales, bool exponents) {
  CodedRows result{};
  result.codes = rows_of(codes);
  result.width = codes.shape.back();
  result.rows = result.width == 0 ? 0 : codes.count() / result.width;
  const auto block = [](int64_t codes_of, int64_t scales_of) {
    const int64_t size = std::max<int64_t>(codes_of / scales_of, 1);
    PARITY_CHECK(codes_of <= std::numeric_limits<int32_t>::max(), unsupported,
                 "a matrix of codes has an extent of {}; a CUDA kernel takes at most 2147483647", codes_of);
    return static_cast<uint32_t>(size);
  };
  result.block_rows = block(result.rows, 1);
  result.block_columns = block(result.width, 1);
  result.exponents = static_cast<int32_t>(exponents);
  if (scales.empty()) return result;
  PARITY_CHECK(scales.count() > 0 && result.rows % scales.shape[0] == 0 && result.width % scales.shape[1] == 0, schema,
               "a matrix of {} x {} codes cannot be divided among {} scales", result.rows, result.width,
               to_string(scales.shape));
  result.scales = rows_of(scales);
  result.block_rows = block(result.rows, scales.shape[0]);
  result.block_columns = block(result.width, scales.shape[1]);
  const bool whole = result.width % kCodes == 0 && result.block_columns % kCodes == 0;
  result.vectors = static_cast<int32_t>(whole && result.codes.vectors != 0 && codes.dtype == DType::e4m3fn);
  return result;
}

}  // namespace parity::optimized::cuda

#endif
