// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/dtype.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.hpp"

namespace parity {
namespace {

struct Row {
  DType dtype;
  const char* name;
  const char* safetensors;
  int64_t bytes;
};

constexpr std::array<Row, 10> kRows{{
    {DType::f64, "f64", "F64", 8},
    {DType::f32, "f32", "F32", 4},
    {DType::f16, "f16", "F16", 2},
    {DType::bf16, "bf16", "BF16", 2},
    {DType::e4m3fn, "e4m3fn", "F8_E4M3", 1},
    {DType::e5m2, "e5m2", "F8_E5M2", 1},
    {DType::i64, "i64", "I64", 8},
    {DType::i32, "i32", "I32", 4},
    {DType::u8, "u8", "U8", 1},
    {DType::boolean, "bool", "BOOL", 1},
}};

const Row& row(DType dtype) { return kRows[static_cast<size_t>(dtype)]; }

template <class T>
T load_as(const std::byte* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

template <class T>
void store_as(std::byte* address, T value) {
  std::memcpy(address, &value, sizeof value);
}

/// Bits of |x| without the sign; |x| must be a number of the format.
uint32_t magnitude_bits(const FloatFormat& format, int exponent_bits, double magnitude) {
  const int mantissa_bits = format.significand_bits - 1;
  if (std::isinf(magnitude)) return ((1U << exponent_bits) - 1U) << mantissa_bits;
  const double smallest_normal = std::ldexp(1.0, format.min_exponent);
  if (magnitude < smallest_normal) {
    return static_cast<uint32_t>(std::ldexp(magnitude, mantissa_bits - format.min_exponent));
  }
  const int exponent = std::ilogb(magnitude);
  const auto fraction = static_cast<uint32_t>(std::ldexp(magnitude, mantissa_bits - exponent)) - (1U << mantissa_bits);
  return (static_cast<uint32_t>(exponent - format.min_exponent + 1) << mantissa_bits) | fraction;
}

/// Code of x in an 8- or 16-bit format. NaN becomes the all-ones code of the format.
uint32_t encode_narrow(DType dtype, double x) {
  const FloatFormat& format = format_of(dtype);
  const int total_bits = static_cast<int>(8 * size_of(dtype));
  const int exponent_bits = total_bits - format.significand_bits;
  const uint32_t sign = std::signbit(x) ? 1U << (total_bits - 1) : 0U;
  const double rounded = round_to(dtype, x);
  if (std::isnan(rounded)) return sign | ((1U << (total_bits - 1)) - 1U);
  if (dtype == DType::bf16)
    return std::bit_cast<uint32_t>(static_cast<float>(rounded)) >> 16;  // a fast path for the most common type
  return sign | magnitude_bits(format, exponent_bits, std::abs(rounded));
}

double decode_narrow(DType dtype, uint32_t code) {
  const FloatFormat& format = format_of(dtype);
  const int total_bits = static_cast<int>(8 * size_of(dtype));
  const int mantissa_bits = format.significand_bits - 1;
  const int exponent_bits = total_bits - format.significand_bits;
  const uint32_t fraction = code & ((1U << mantissa_bits) - 1U);
  const auto exponent = static_cast<int>((code >> mantissa_bits) & ((1U << exponent_bits) - 1U));
  const double sign = (code >> (total_bits - 1)) != 0U ? -1.0 : 1.0;
  const bool top = exponent == (1 << exponent_bits) - 1;
  if (top && format.has_infinity) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  if (top && fraction == (1U << mantissa_bits) - 1U) return std::numeric_limits<double>::quiet_NaN();
  if (exponent == 0) return sign * std::ldexp(fraction, format.min_exponent - mantissa_bits);
  return sign * std::ldexp(static_cast<double>(fraction + (1U << mantissa_bits)),
                           exponent - 1 + format.min_exponent - mantissa_bits);
}

/// An integer for each number of the format, so that neighbours map to consecutive integers in ascending order.
int64_t ordinal(DType dtype, double x) {
  int64_t bits = 0;
  if (dtype == DType::f64) {
    bits = std::bit_cast<int64_t>(std::abs(x));
  } else if (dtype == DType::f32) {
    bits = std::bit_cast<int32_t>(static_cast<float>(std::abs(x)));
  } else {
    bits = encode_narrow(dtype, std::abs(x));
  }
  return std::signbit(x) ? -bits : bits;
}

}  // namespace

const char* to_string(DType dtype) { return row(dtype).name; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (const Row& candidate : kRows) {
    if (name == candidate.name || name == candidate.safetensors) return candidate.dtype;
  }
  return std::nullopt;
}

int64_t size_of(DType dtype) { return row(dtype).bytes; }

bool is_float(DType dtype) { return static_cast<size_t>(dtype) < kFloatFormats.size(); }

void refuse_format(DType dtype) {
  throw Error(ErrorCode::internal, fmt::format("{} has no floating-point format", to_string(dtype)));
}

namespace {

/// x rounded to bf16's seven mantissa bits, nearest even, for |x| in the normal range; a carry may reach 2^128.
double rounded_to_seven_bits(double x) {
  constexpr unsigned kDropped = 52 - 7;
  constexpr uint64_t kBelowHalf = (uint64_t{1} << (kDropped - 1)) - 1;
  const auto bits = std::bit_cast<uint64_t>(x);
  const uint64_t carried = bits + kBelowHalf + ((bits >> kDropped) & 1U);
  return std::bit_cast<double>(carried >> kDropped << kDropped);
}

}  // namespace

double round_to(DType dtype, double x) {
  if (dtype == DType::f64 || !std::isfinite(x)) {
    const bool overflows = std::isinf(x) && !format_of(dtype).has_infinity;
    return overflows ? std::numeric_limits<double>::quiet_NaN() : x;
  }
  if (dtype == DType::f32) return static_cast<double>(static_cast<float>(x));
  const FloatFormat& format = format_of(dtype);
  if (x == 0.0) return x;
  if (dtype == DType::bf16 && std::abs(x) >= 0x1p-126 && std::abs(x) < 0x1.fep127) return rounded_to_seven_bits(x);
  const int exponent = std::max(std::ilogb(x), format.min_exponent);
  const int shift = format.significand_bits - 1 - exponent;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(x, shift)), -shift);  // power-of-two scaling is exact
  if (std::abs(rounded) <= format.largest) return rounded;
  return format.has_infinity ? std::copysign(std::numeric_limits<double>::infinity(), x)
                             : std::numeric_limits<double>::quiet_NaN();
}

double load_element(DType dtype, const std::byte* address) {
  switch (dtype) {
    case DType::f64:
      return load_as<double>(address);
    case DType::f32:
      return static_cast<double>(load_as<float>(address));
    case DType::bf16:
      return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(load_as<uint16_t>(address)) << 16));
    case DType::f16:
      return decode_narrow(dtype, load_as<uint16_t>(address));
    case DType::e4m3fn:
    case DType::e5m2:
      return decode_narrow(dtype, load_as<uint8_t>(address));
    case DType::i64:
      return static_cast<double>(load_as<int64_t>(address));
    case DType::i32:
      return static_cast<double>(load_as<int32_t>(address));
    case DType::u8:
    case DType::boolean:
      return static_cast<double>(load_as<uint8_t>(address));
  }
  return 0.0;
}

void store_element(DType dtype, std::byte* address, double x) {
  switch (dtype) {
    case DType::f64:
      return store_as(address, x);
    case DType::f32:
      return store_as(address, static_cast<float>(x));
    case DType::bf16:
    case DType::f16:
      return store_as(address, static_cast<uint16_t>(encode_narrow(dtype, x)));
    case DType::e4m3fn:
    case DType::e5m2:
      return store_as(address, static_cast<uint8_t>(encode_narrow(dtype, x)));
    case DType::i64:
      return store_as(address, static_cast<int64_t>(x));
    case DType::i32:
      return store_as(address, static_cast<int32_t>(x));
    case DType::u8:
      return store_as(address, static_cast<uint8_t>(x));
    case DType::boolean:
      return store_as(address, static_cast<uint8_t>(x != 0.0 ? 1 : 0));
  }
}

double ulp_distance(DType dtype, double a, double b) {
  const double x = round_to(dtype, a);
  const double y = round_to(dtype, b);
  if (x == y || (std::isnan(x) && std::isnan(y))) return 0.0;
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::infinity();
  const int64_t low = ordinal(dtype, std::min(x, y));
  const int64_t high = ordinal(dtype, std::max(x, y));
  return static_cast<double>(static_cast<uint64_t>(high) - static_cast<uint64_t>(low));  // up to 2^64 in binary64
}

}  // namespace parity
