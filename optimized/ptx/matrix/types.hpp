// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Types of matrix elements, and their numbers as f32 or s32.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "optimized/ptx/number/exact.hpp"
#include "optimized/ptx/number/native.hpp"

namespace parity::ptx {

/// Columns of B that are multiplied side by side: a vector of f32. n of every shape is a multiple.
inline constexpr int kColumns = 8;

/// Element types of mma and wgmma. Only accumulators are f32 or s32.
enum class MatrixType : uint8_t { f16, bf16, tf32, f64, e4m3, e5m2, s8, u8, s4, u4, b1, f32, s32 };

[[nodiscard]] const char* to_string(MatrixType type);
/// "bf16" -> bf16; Error{unsupported} for what is no element type here.
[[nodiscard]] MatrixType matrix_type_of(std::string_view name);

[[nodiscard]] constexpr int bits_of(MatrixType type) {
  constexpr std::array<int, 13> kBits{16, 16, 32, 64, 8, 8, 8, 8, 4, 4, 1, 32, 32};
  return kBits[static_cast<size_t>(type)];
}

/// Elements in a register: 32 bits, or 64 of f64.
[[nodiscard]] constexpr int elements_per_register(MatrixType type) {
  return type == MatrixType::f64 ? 1 : 32 / bits_of(type);
}

[[nodiscard]] constexpr bool is_integer(MatrixType type) {
  return (type >= MatrixType::s8 && type <= MatrixType::b1) || type == MatrixType::s32;
}

/// Values of the 256 codes of an 8-bit type.
[[nodiscard]] constexpr std::array<float, 256> eight_bit_values(NumberType type) {
  std::array<float, 256> values{};
  for (uint64_t code = 0; code < 256; ++code) {
    const auto bits = static_cast<uint32_t>(encode(NumberType::f32, decode(type, code), RoundingMode::nearest));
    values[code] = std::bit_cast<float>(bits);
  }
  return values;
}
inline constexpr std::array<float, 256> kE4m3Values = eight_bit_values(NumberType::e4m3);
inline constexpr std::array<float, 256> kE5m2Values = eight_bit_values(NumberType::e5m2);

/// The exact value of a code. `code` has no bits above those of the type. The low 13 bits of tf32 are ignored. Needs a
/// NearestEnvironment for f16.
template <MatrixType type>
[[nodiscard]] inline float widened(uint32_t code) {
  if constexpr (type == MatrixType::f16) {
    return native::f32_of_f16(static_cast<uint16_t>(code));
  } else if constexpr (type == MatrixType::bf16) {
    return native::f32_of_bf16(static_cast<uint16_t>(code));
  } else if constexpr (type == MatrixType::tf32) {
    return std::bit_cast<float>(code & 0xFFFFE000U);
  } else if constexpr (type == MatrixType::e4m3) {
    return kE4m3Values[code];
  } else if constexpr (type == MatrixType::e5m2) {
    return kE5m2Values[code];
  } else {
    static_assert(type == MatrixType::f32, "not a floating-point type of 32 bits or fewer");
    return std::bit_cast<float>(code);
  }
}

/// s8, u8, s4, u4, b1, s32 as s32.
template <MatrixType type>
[[nodiscard]] constexpr int32_t integer_of(uint32_t code) {
  if constexpr (type == MatrixType::s8) {
    return static_cast<int8_t>(code);
  } else if constexpr (type == MatrixType::s4) {
    return static_cast<int32_t>(code ^ 8U) - 8;
  } else {
    return static_cast<int32_t>(code);
  }
}

}  // namespace parity::ptx
