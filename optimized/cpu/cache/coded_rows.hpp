// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rows of an FP8 cache in memory: e4m3 bytes, and one scale for each head.
#pragma once

#include <bit>

#include "core/error.hpp"
#include "core/tensor.hpp"
#include "optimized/cpu/parallel.hpp"

namespace parity::cpu {

/// The bytes of codes, under the strides of their tensor.
inline Span<uint8_t, 4> bytes_of_codes(TensorView codes) {
  PARITY_CHECK(codes.dtype == DType::e4m3fn, unsupported, "the codes of an FP8 cache are e4m3 bytes, not {}",
               to_string(codes.dtype));
  codes.dtype = DType::u8;
  return codes.as<uint8_t, 4>();
}

/// The code nearest to x, ties to even, at most 448. Below the normal codes 2^14 is added: binary32 is spaced 2^-9
/// there, as codes are, so that the sum rounds as a code does.
inline uint8_t e4m3_of(float x) {
  constexpr uint32_t kInfinity = 0x7F800000, kNan = 0x7F, kMost = 0x7E, kMostBits = 0x43E00000;
  constexpr uint32_t kLeastNormal = 0x3C800000, kBias = (127 - 7) << 3;
  const auto bits = std::bit_cast<uint32_t>(x);
  const uint32_t magnitude = bits & 0x7FFFFFFFU, sign = bits >> 24U & 0x80U;
  if (magnitude > kInfinity) return kNan;
  if (magnitude >= kMostBits) return static_cast<uint8_t>(sign | kMost);
  if (magnitude >= kLeastNormal) {
    const uint32_t rounded = magnitude + 0x7FFFFU + (magnitude >> 20U & 1U);
    return static_cast<uint8_t>(sign | ((rounded >> 20U) - kBias));
  }
  constexpr float kSpacing = 0x1p14F;
  return static_cast<uint8_t>(
      sign | (std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + kSpacing) - std::bit_cast<uint32_t>(kSpacing)));
}

/// The number of a code. Shifted to binary32's places it lacks a factor of 2^120, the difference of the biases.
inline float number_of_e4m3(uint8_t code) {
  const uint32_t magnitude = code & 0x7FU;
  const float number =
      magnitude == 0x7FU ? std::bit_cast<float>(0x7FC00000U) : std::bit_cast<float>(magnitude << 20U) * 0x1p120F;
  return (code & 0x80U) != 0 ? -number : number;
}

/// Calls row(b, g, s) for each row of `extent`, some rows in each piece of work.
template <class Row>
void each_cache_row(const std::array<int64_t, 4>& extent, const Row& row) {
  constexpr int64_t kGrain = int64_t{1} << 15;  // elements
  const auto& [batch, heads, slots, width] = extent;
  if (batch * heads * slots * width == 0) return;
  const int64_t slots_of = slots, heads_of = heads;
  in_pieces(batch * heads * slots, std::max<int64_t>(kGrain / width, 1), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) row(i / slots_of / heads_of, i / slots_of % heads_of, i % slots_of);
  });
}

}  // namespace parity::cpu
