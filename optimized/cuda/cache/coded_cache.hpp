// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// An FP8 cache: numbers and their e4m3 bytes, with a scale for each head. The threads of a row divide it into groups of
// sixteen, which are a vector of codes.
#pragma once

#include "optimized/cuda/operand.hpp"

namespace parity::optimized::cuda {

/// Codes that a thread reads or writes at a time.
inline constexpr int kCacheCodes = 16;

struct CodedCacheParameters {
  Operand<4> numbers, codes;                                                                             // (B, G, S, D)
  Operand<1> scale;                                                                                               // (G)
  int64_t rows, heads, slots, width;
  bool vectors;
};

}  // namespace parity::optimized::cuda

#ifdef __CUDACC__

#include "optimized/cuda/device/row_blocks.cuh"

namespace parity::optimized::cuda {

/// Calls group(numbers, codes) for each group of a row that vectors can move, and one(numbers, codes) for each other
/// element, with the addresses of both.
template <class T, class Group, class One>
__device__ void each_code(const CodedCacheParameters& p, int64_t b, int64_t g, int64_t s, const Group& group,
                          const One& one) {
  T* numbers = at<T>(p.numbers, b, g, s);
  uint8_t* codes = at<uint8_t>(p.codes, b, g, s);
  const int64_t whole = p.vectors ? p.width / kCacheCodes * kCacheCodes : 0;
  for (int64_t i = int64_t{threadIdx.x} * kCacheCodes; i < whole; i += int64_t{blockDim.x} * kCacheCodes)
    group(numbers + i, codes + i);
  for (int64_t i = whole + threadIdx.x; i < p.width; i += blockDim.x)
    one(numbers + i * p.numbers.stride[3], codes + i * p.codes.stride[3]);
}

}  // namespace parity::optimized::cuda

#else

#include "optimized/cuda/row_blocks.hpp"

namespace parity::optimized::cuda {

/// Starts `name`_f32 or `name`_bf16 of the module `name`.
template <class T>
void launch_coded_cache(const Context& context, const std::string& name, const Span<T, 4>& numbers, TensorView coded,
                        const Span<float, 1>& scale) {
  PARITY_CHECK(coded.dtype == DType::e4m3fn, unsupported, "the codes of an FP8 cache are e4m3 bytes, not {}",
               to_string(coded.dtype));
  coded.dtype = DType::u8;
  const auto codes = coded.as<uint8_t, 4>();
  PARITY_CHECK(numbers.extent == codes.extent && scale.extent[0] == codes.extent[1], internal,
               "{}: there are as many codes as numbers, and a scale for each head", name);
  const auto& [batch, heads, slots, width] = codes.extent;
  const bool vectors = has_vectors(numbers) && has_vectors(codes);
  const int64_t rows = width == 0 ? 0 : batch * heads * slots;
  const int64_t units = vectors ? (width + kCacheCodes - 1) / kCacheCodes : width;
  launch(context, row_launch(name, kernel_name<T>(name), rows, units),
         CodedCacheParameters{operand(numbers), operand(codes), operand(scale), rows, heads, slots, width, vectors});
}

}  // namespace parity::optimized::cuda

#endif
