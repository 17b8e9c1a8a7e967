// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tensor maps of cp.async.bulk.tensor, tiled mode. What a driver puts into the 128 bytes is its secret, so the harness
// has an encoding of its own: a host program that runs here encodes with encode_tensor_map.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "optimized/ptx/matrix/swizzle.hpp"

namespace parity::ptx {

/// The order is CUtensorMapDataType's.
enum class TensorElement : uint8_t {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f64,
  bf16,
  f32_ftz,
  tf32,
  tf32_ftz,
  u4_align8,
  u4_align16,
  u6_align16
};

/// CUtensorMapInterleave; and the other kind of map, cuTensorMapEncodeIm2col.
enum class TensorInterleave : uint8_t { none, b16, b32 };
enum class TensorMode : uint8_t { tiled, im2col };

constexpr int kMostDimensions = 5;

/// The arguments of cuTensorMapEncodeTiled, innermost dimension first.
struct TensorMap {
  TensorMode mode = TensorMode::tiled;
  TensorElement element = TensorElement::f16;
  int rank = 1;
  uint64_t address = 0;
  std::array<uint64_t, kMostDimensions> size{};               // globalDim: elements
  std::array<uint64_t, kMostDimensions - 1> stride{};         // globalStrides: bytes, of dimension 1 and above
  std::array<uint32_t, kMostDimensions> box{};                // boxDim: elements
  std::array<uint32_t, kMostDimensions> step{1, 1, 1, 1, 1};  // elementStrides; that of dimension 0 is ignored
  TensorInterleave interleave = TensorInterleave::none;
  Swizzle swizzle = Swizzle::none;
  bool fill_with_nan = false;  // FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA
  friend bool operator==(const TensorMap&, const TensorMap&) = default;
};

using TensorMapBytes = std::array<std::byte, 128>;

/// 1, 2, 4 or 8.
[[nodiscard]] uint32_t element_bytes(TensorElement element);

/// The rules of cuTensorMapEncodeTiled (CUDA driver API, tensor map object management): Error{usage} with one sentence
/// for each that is broken. Error{unsupported} for im2col, interleaved layouts, packed elements, and elements that are
/// converted while they are copied (f32_ftz, tf32, tf32_ftz).
void check_tensor_map(const TensorMap& map);

/// Checks, then writes.
[[nodiscard]] TensorMapBytes encode_tensor_map(const TensorMap& map);
/// Throws Error{schema} for bytes that encode_tensor_map did not write.
[[nodiscard]] TensorMap decode_tensor_map(std::span<const std::byte, 128> bytes);

}  // namespace parity::ptx
