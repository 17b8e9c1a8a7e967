// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Types of numbers in PTX registers, and how a result is rounded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace parity::ptx {

/// PTX ISA 5.2.1 and 5.2.3. Floating-point types come after the integers.
enum class NumberType : uint8_t {
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  bf16,
  f32,
  f64,
  tf32,
  e4m3,
  e5m2,
  e2m3,
  e3m2,
  e2m1,
  ue8m0
};

/// .rn and .rni, .rna, .rz and .rzi, .rm and .rmi, .rp and .rpi.
enum class RoundingMode : uint8_t { nearest, away, zero, down, up };

[[nodiscard]] const char* to_string(NumberType type);
/// "f32" -> f32. Throws Error{unsupported} for a type that no function here reads.
[[nodiscard]] NumberType number_type_of(std::string_view name);
/// "rn" -> nearest. Throws Error{unsupported} for stochastic rounding (.rs) and for words that name no rounding.
[[nodiscard]] RoundingMode rounding_of(std::string_view modifier);

[[nodiscard]] constexpr bool is_integer(NumberType type) { return type <= NumberType::s64; }
[[nodiscard]] constexpr bool is_signed(NumberType type) { return type >= NumberType::s8 && type <= NumberType::s64; }
/// The number of bits of an integer type.
[[nodiscard]] constexpr int integer_bits(NumberType type) { return 8 << (static_cast<unsigned>(type) % 4U); }

/// A binary floating-point encoding: sign, exponent, fraction from high to low, `unused` bits below them.
struct Encoding {
  int exponent_bits, fraction_bits;
  uint64_t largest;  // code of the largest finite number
  bool infinity, has_nan;
  uint64_t nan;  // the code that PTX gives as canonical NaN
  int unused = 0;

  [[nodiscard]] constexpr int bits() const { return 1 + exponent_bits + fraction_bits; }
  [[nodiscard]] constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] constexpr uint64_t sign() const { return uint64_t{1} << (bits() - 1); }
};

// Canonical NaN: of f16, bf16 and f32 all ones but the sign (CUDA Programming Guide, floating-point standard); e4m3:
// 5.2.3.
inline constexpr std::array<Encoding, 10> kEncodings{{{5, 10, 0x7BFF, true, true, 0x7FFF},
                                                      {8, 7, 0x7F7F, true, true, 0x7FFF},
                                                      {8, 23, 0x7F7FFFFF, true, true, 0x7FFFFFFF},
                                                      {11, 52, 0x7FEFFFFFFFFFFFFF, true, true, 0x7FFFFFFFFFFFFFFF},
                                                      {8, 10, 0x3FBFF, true, true, 0x3FFFF, 13},
                                                      {4, 3, 0x7E, false, true, 0x7F},
                                                      {5, 2, 0x7B, true, true, 0x7F},
                                                      {2, 3, 0x1F, false, false, 0x1F},
                                                      {3, 2, 0x1F, false, false, 0x1F},
                                                      {2, 1, 0x7, false, false, 0x7}}};

/// The encoding of a floating-point type other than ue8m0, which has neither sign nor fraction (number/scale.hpp).
[[nodiscard]] constexpr const Encoding& encoding_of(NumberType type) {
  return kEncodings[static_cast<size_t>(type) - static_cast<size_t>(NumberType::f16)];
}

/// Bits that a number takes in a register or a packed pair: 8 for six-bit types, 4 for e2m1, 32 for tf32.
[[nodiscard]] int stored_bits(NumberType type);

}  // namespace parity::ptx
