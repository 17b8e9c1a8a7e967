// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Element types and exact round-to-nearest-even conversions between them and binary64.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace parity {

enum class DType : uint8_t { f64, f32, f16, bf16, e4m3fn, e5m2, i64, i32, u8, boolean };

[[nodiscard]] const char* to_string(DType dtype);
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view name);  // "bf16", "bool", …; also safetensors' "BF16"
[[nodiscard]] int64_t size_of(DType dtype);                             // bytes per element
[[nodiscard]] bool is_float(DType dtype);

/// A 16-bit bfloat16 number as it is in memory; kernels of native types read spans of this type.
struct BFloat16 {
  uint16_t bits;
};
struct Float16 {
  uint16_t bits;
};

/// The DType of elements of type T; DType::boolean for a T that is no element type.
template <class T>
inline constexpr DType kDTypeOf = DType::boolean;
template <>
inline constexpr DType kDTypeOf<double> = DType::f64;
template <>
inline constexpr DType kDTypeOf<float> = DType::f32;
template <>
inline constexpr DType kDTypeOf<BFloat16> = DType::bf16;
template <>
inline constexpr DType kDTypeOf<Float16> = DType::f16;
template <>
inline constexpr DType kDTypeOf<int64_t> = DType::i64;
template <>
inline constexpr DType kDTypeOf<uint8_t> = DType::u8;

/// Parameters of a binary floating-point format. All floating types of DType are described by these.
struct FloatFormat {
  int significand_bits;  // p, the hidden bit included
  int min_exponent;      // of the smallest normal number: 2^min_exponent
  double largest;        // largest finite number
  bool has_infinity;     // e4m3fn has none: overflow becomes NaN
};

/// Formats of the floating types, which are the first six of DType.
inline constexpr std::array<FloatFormat, 6> kFloatFormats{{{53, -1022, std::numeric_limits<double>::max(), true},
                                                           {24, -126, std::numeric_limits<float>::max(), true},
                                                           {11, -14, 65504.0, true},
                                                           {8, -126, 0x1.fep127, true},
                                                           {4, -6, 448.0, false},
                                                           {3, -14, 57344.0, true}}};

[[noreturn]] void refuse_format(DType dtype);

// These are inline because error bounds call them at every rounding of every element.
[[nodiscard]] inline const FloatFormat& format_of(DType dtype) {  // floating types only, else Error{internal}
  const auto index = static_cast<size_t>(dtype);
  if (index >= kFloatFormats.size()) refuse_format(dtype);
  return kFloatFormats[index];
}
/// 2^exponent, for exponents in the normal range of binary64.
[[nodiscard]] constexpr double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(1023 + exponent) << 52U);
}
[[nodiscard]] inline double unit_roundoff(DType dtype) {
  return power_of_two(-format_of(dtype).significand_bits);
}  // u
[[nodiscard]] inline double smallest_normal(DType dtype) { return power_of_two(format_of(dtype).min_exponent); }

/// x rounded once to `dtype`, nearest, ties to even; overflow to ±Inf (e4m3fn: NaN); NaN stays NaN.
[[nodiscard]] double round_to(DType dtype, double x);

/// One element at `address`, widened (exact for every type but i64 beyond 2^53).
[[nodiscard]] double load_element(DType dtype, const std::byte* address);
/// x rounded once to `dtype` and stored; integers truncate towards zero and must be in range.
void store_element(DType dtype, std::byte* address, double x);

/// Distance in representable numbers of `dtype` between a and b (both rounded to it first); 0 when equal or both NaN.
[[nodiscard]] double ulp_distance(DType dtype, double a, double b);

}  // namespace parity
