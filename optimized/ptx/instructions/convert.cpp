// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// cvt between integers, binary64, binary32, and to nearest even binary16 and bfloat16. Source: PTX ISA 9.0, section 9.7.9.21.
#include <algorithm>
#include <limits>

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/instructions/lanes.hpp"
#include "optimized/ptx/instructions/real.hpp"
#include "optimized/ptx/number/native_half.hpp"

namespace parity::ptx {
namespace {

enum Flag : uint8_t { saturates = 1, flushes = 2, to_nearest = 4, to_zero = 8, down = 16, up = 32 };
constexpr uint8_t kToInteger = to_nearest | to_zero | down | up;

struct Number {
  bool real = false;
  double value = 0.0;
  uint64_t bits = 0;  // of an integer, extended to 64
};

Number read(const Warp& warp, const Step& step, Type type, uint32_t lane) {
  uint64_t raw = 0;
  std::memcpy(&raw, warp.registers + step.a + lane * step.width, step.width);
  switch (type) {
    case Type::u8:
    case Type::b8:
      return {false, 0.0, raw & 0xFFU};
    case Type::s8:
      return {false, 0.0, static_cast<uint64_t>(int64_t{static_cast<int8_t>(raw)})};
    case Type::u16:
    case Type::b16:
      return {false, 0.0, raw & 0xFFFFU};
    case Type::s16:
      return {false, 0.0, static_cast<uint64_t>(int64_t{static_cast<int16_t>(raw)})};
    case Type::u32:
    case Type::b32:
      return {false, 0.0, raw & 0xFFFFFFFFU};
    case Type::s32:
      return {false, 0.0, static_cast<uint64_t>(int64_t{static_cast<int32_t>(raw)})};
    case Type::f16:
      return {true, native::f32_of_f16(static_cast<uint16_t>(raw)), 0};
    case Type::bf16:
      return {true, native::f32_of_bf16(static_cast<uint16_t>(raw)), 0};
    case Type::f32: {
      const auto value = std::bit_cast<float>(static_cast<uint32_t>(raw));
      return {true, (step.mode & flushes) != 0 ? flushed(value) : value, 0};
    }
    case Type::f64:
      return {true, std::bit_cast<double>(raw), 0};
    default:
      return {false, 0.0, raw};
  }
}

double rounded(double value, uint8_t mode) {
  if ((mode & to_nearest) != 0) return std::nearbyint(value);
  if ((mode & to_zero) != 0) return std::trunc(value);
  if ((mode & down) != 0) return std::floor(value);
  return (mode & up) != 0 ? std::ceil(value) : value;
}

/// Out of range is the nearest end of the range. A NaN is 0, or of 64 bits the highest bit.
uint64_t to_integer(double value, Type from, Type to, uint8_t mode) {
  const uint32_t bits = 8 * bytes_of(to);
  if (std::isnan(value)) return from == Type::f64 || bits == 64 ? uint64_t{1} << (bits - 1) : 0;
  value = rounded(value, mode);
  const double edge = std::ldexp(1.0, static_cast<int>(is_signed(to) ? bits - 1 : bits));
  if (is_signed(to)) {
    if (value >= edge) return (uint64_t{1} << (bits - 1)) - 1;
    return static_cast<uint64_t>(value < -edge ? static_cast<int64_t>(~uint64_t{0} << (bits - 1))
                                               : static_cast<int64_t>(value));
  }
  if (value >= edge) return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  return value < 0.0 ? 0 : static_cast<uint64_t>(value);
}

uint64_t clamped(uint64_t bits, bool from_signed, Type to) {
  const uint32_t size = 8 * bytes_of(to);
  const auto value = static_cast<int64_t>(bits);
  const bool negative = from_signed && value < 0;
  if (is_signed(to)) {
    const uint64_t most = (uint64_t{1} << (size - 1)) - 1;
    if (negative) return static_cast<uint64_t>(std::max(value, -static_cast<int64_t>(most) - 1));
    return std::min(bits, most);
  }
  if (negative) return 0;
  return size == 64 ? bits : std::min(bits, (uint64_t{1} << size) - 1);
}

uint64_t to_real(const Number& number, bool from_signed, Type to, uint8_t mode) {
  if (to == Type::f64) {
    const double value = number.real   ? rounded(number.value, mode)
                         : from_signed ? static_cast<double>(static_cast<int64_t>(number.bits))
                                       : static_cast<double>(number.bits);
    return std::bit_cast<uint64_t>((mode & saturates) == 0 ? value : value > 0.0 ? std::min(value, 1.0) : 0.0);
  }
  if (to == Type::f32) {
    float value = 0.0F;
    if (number.real) {
      value = static_cast<float>(rounded(number.value, mode));
    } else {
      value = from_signed ? static_cast<float>(static_cast<int64_t>(number.bits)) : static_cast<float>(number.bits);
    }
    if ((mode & flushes) != 0) value = flushed(value);
    return std::bit_cast<uint32_t>((mode & saturates) != 0 ? saturated(value) : value);
  }
  const double whole =
      from_signed ? static_cast<double>(static_cast<int64_t>(number.bits)) : static_cast<double>(number.bits);
  float value = native::to_odd(number.real ? rounded(number.value, mode) : whole);
  if ((mode & saturates) != 0) value = saturated(value);
  return to == Type::f16 ? native::f16_of_f32(value) : native::bf16_of_f32(value);
}

void convert(Warp& warp, const Step& step) {
  const auto to = static_cast<Type>(step.b), from = static_cast<Type>(step.c);
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (!has_lane(warp.mask, lane)) continue;
    const Number number = read(warp, step, from, lane);
    uint64_t bits = 0;
    if (is_real(to)) {
      bits = to_real(number, is_signed(from), to, step.mode);
    } else if (number.real) {
      bits = to_integer(number.value, from, to, step.mode);
    } else {
      bits = (step.mode & saturates) != 0 ? clamped(number.bits, is_signed(from), to) : number.bits;
    }
    if (!is_real(to)) {  // as wide as the type, then as wide as the register
      const uint32_t unused = 64 - 8 * bytes_of(to);
      bits <<= unused;
      bits = is_signed(to) ? static_cast<uint64_t>(static_cast<int64_t>(bits) >> unused) : bits >> unused;
    }
    std::memcpy(warp.registers + step.d + lane * step.mode2, &bits, step.mode2);
  }
}

template <class D, class S>
D widened(S value) {
  return static_cast<D>(value);
}
float single_of_half(uint16_t value) { return native::f32_of_f16(value); }
float single_of_bfloat(uint16_t value) { return native::f32_of_bf16(value); }
uint16_t half_of(float value) { return native::f16_of_f32(value); }
uint16_t bfloat_of(float value) { return native::bf16_of_f32(value); }

/// Conversions that are frequent and have nothing special.
Handler fast(Type to, Type from, uint32_t to_bytes, uint32_t from_bytes) {
  const auto are = [&](Type t, Type f, uint32_t tb, uint32_t fb) {
    return to == t && from == f && to_bytes == tb && from_bytes == fb;
  };
  if (are(Type::f32, Type::f16, 4, 2)) return &map1<float, uint16_t, single_of_half>;
  if (are(Type::f32, Type::bf16, 4, 2)) return &map1<float, uint16_t, single_of_bfloat>;
  if (are(Type::f16, Type::f32, 2, 4)) return &map1<uint16_t, float, half_of>;
  if (are(Type::bf16, Type::f32, 2, 4)) return &map1<uint16_t, float, bfloat_of>;
  if (are(Type::f32, Type::s32, 4, 4)) return &map1<float, int32_t, widened<float, int32_t>>;
  if (are(Type::f32, Type::u32, 4, 4)) return &map1<float, uint32_t, widened<float, uint32_t>>;
  if ((to == Type::s64 || to == Type::u64) && are(to, Type::s32, 8, 4))
    return &map1<int64_t, int32_t, widened<int64_t, int32_t>>;
  if ((to == Type::s64 || to == Type::u64) && are(to, Type::u32, 8, 4))
    return &map1<uint64_t, uint32_t, widened<uint64_t, uint32_t>>;
  const bool narrow = (to == Type::u32 || to == Type::s32) && (from == Type::u64 || from == Type::s64);
  if (narrow && to_bytes == 4) return &map1<uint32_t, uint64_t, widened<uint32_t, uint64_t>>;
  if (are(Type::u32, Type::u16, 4, 2)) return &map1<uint32_t, uint16_t, widened<uint32_t, uint16_t>>;
  if (are(Type::s32, Type::s16, 4, 2)) return &map1<int32_t, int16_t, widened<int32_t, int16_t>>;
  if (are(Type::u16, Type::u32, 2, 4)) return &map1<uint16_t, uint32_t, widened<uint16_t, uint32_t>>;
  return nullptr;
}

template <auto f>
uint32_t two(float high, float low) {
  return uint32_t{f(high)} << 16U | f(low);
}

/// cvt.rn.f16x2.f32 d, a, b: a is the high half.
Handler packed(Decoder& d, Step& step, Type to) {
  d.need(3);
  if (!d.take("rn") || d.take_type() != Type::f32) d.refuse("'.rn' of .f32 is expected");
  step.d = d.destination(0, to);
  step.a = d.source(1, Type::f32);
  step.b = d.source(2, Type::f32);
  return to == Type::f16x2 ? &map2<uint32_t, float, float, two<native::f16_of_f32>>
                           : &map2<uint32_t, float, float, two<native::bf16_of_f32>>;
}

uint32_t width_of(Decoder& d, const Operand& operand, Type type) {
  const uint32_t bytes = std::max(bytes_of(type), 2U), own = d.register_bytes(operand);
  if (own == 0) return bytes;
  if (own < bytes || (is_real(type) && own != bytes)) d.refuse("the register has another size than its type");
  return own;
}

/// What is rounded says how: only narrowing to a real, or a real to an integer.
void take_rounding(Decoder& d, Step& step, Type to, Type from) {
  const int whole = d.take_one({"rni", "rzi", "rmi", "rpi"});
  if (whole >= 0) step.mode |= static_cast<uint8_t>(to_nearest << whole);
  const bool nearest = d.take("rn");
  const bool integer = !is_real(to) && is_real(from);
  if (integer && whole < 0) d.refuse("'.rni', '.rzi', '.rmi' or '.rpi' is expected");
  const bool narrows = is_real(to) && (!is_real(from) || bytes_of(to) < bytes_of(from) ||
                                       (bytes_of(to) == bytes_of(from) && to != from));
  if (narrows && !nearest) d.refuse("this rounding is not known; '.rn' is");
  if (!narrows && nearest) d.refuse("'.rn' has nothing to round here");
}

}  // namespace

Handler convert_group(Decoder& d, Step& step) {
  if (!d.is("cvt")) return nullptr;
  const Type to = d.take_type();
  if (to == Type::f16x2 || to == Type::bf16x2) return packed(d, step, to);
  const Type from = d.take_type();
  d.need(2);
  if (from == Type::f16x2 || from == Type::bf16x2) d.refuse("this conversion is not known");
  take_rounding(d, step, to, from);
  if (d.take("sat")) step.mode |= saturates;
  if (d.take("ftz")) step.mode |= flushes;
  const bool half = to == Type::f16 || to == Type::bf16;
  if (half && is_integer(from) && bytes_of(from) == 8) d.refuse("this conversion is not known");
  step.mode2 = static_cast<uint8_t>(width_of(d, d.operand(0), to));
  step.width = static_cast<uint8_t>(width_of(d, d.operand(1), from));
  step.d = d.destination(d.operand(0), Type::b32, step.mode2);
  step.a = d.source(d.operand(1), from, step.width);
  step.b = static_cast<uint32_t>(to);
  step.c = static_cast<uint32_t>(from);
  const Handler quick = step.mode == 0 ? fast(to, from, step.mode2, step.width) : nullptr;
  return quick != nullptr ? quick : &convert;
}

}  // namespace parity::ptx
