// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/instructions/convert_fast.hpp"

#include <cmath>

#include "optimized/ptx/instructions/lanes.hpp"
#include "optimized/ptx/instructions/real.hpp"
#include "optimized/ptx/number/nan.hpp"
#include "optimized/ptx/number/native_half.hpp"

namespace parity::ptx {
namespace {

using T = NumberType;

template <class D, class S>
D cast(S value) {
  return static_cast<D>(value);
}
float single_of_half(uint16_t value) { return native::result<false>(native::f32_of_f16(value)); }
uint16_t half_of(float value) { return native::f16_of_f32(value); }
uint16_t bfloat_of(float value) { return native::bf16_of_f32(value); }
template <class To, class From, NumberType to, NumberType from>
To among_nan(From value) {  // f64 keeps what a NaN holds
  using Bits = native::Word<To>;
  const auto code = std::bit_cast<native::Word<From>>(value);
  const auto moved = static_cast<Bits>(nan_moved(encoding_of(to), encoding_of(from), code));
  return value != value ? std::bit_cast<To>(moved) : static_cast<To>(value);
}
double double_of_single(float value) { return among_nan<double, float, T::f64, T::f32>(value); }
float single_of_double(double value) { return among_nan<float, double, T::f32, T::f64>(value); }

template <RoundingMode mode>
float whole(float x) {
  if (mode == RoundingMode::nearest) return std::nearbyint(x);
  if (mode == RoundingMode::zero) return std::trunc(x);
  return mode == RoundingMode::down ? std::floor(x) : std::ceil(x);
}
template <RoundingMode mode>
float integral_part(float x) {
  return native::result<false>(whole<mode>(x));
}
/// Out of range is the nearest end of it, a NaN is 0.
template <RoundingMode mode>
int32_t signed_of(float x) {
  const float value = whole<mode>(x == x ? x : 0.0F);
  const float inside = value < -0x1p31F ? -0x1p31F : value > 0x1.fffffep30F ? 0x1.fffffep30F : value;
  return value >= 0x1p31F ? std::numeric_limits<int32_t>::max() : static_cast<int32_t>(inside);
}
template <RoundingMode mode>
uint32_t unsigned_of(float x) {
  const float value = whole<mode>(x == x ? x : 0.0F);
  const float inside = value < 0.0F ? 0.0F : value > 0x1.fffffep31F ? 0x1.fffffep31F : value;
  return value >= 0x1p32F ? ~uint32_t{0} : static_cast<uint32_t>(static_cast<int64_t>(inside));
}

template <RoundingMode mode>
Handler from_single(T to) {
  if (to == T::s32) return &map1<int32_t, float, signed_of<mode>>;
  if (to == T::u32) return &map1<uint32_t, float, unsigned_of<mode>>;
  return to == T::f32 ? &map1<float, float, integral_part<mode>> : nullptr;
}

Handler rounded_from_single(const Conversion& how) {
  switch (how.rounding) {
    case RoundingMode::nearest:
      return from_single<RoundingMode::nearest>(how.to);
    case RoundingMode::zero:
      return from_single<RoundingMode::zero>(how.to);
    case RoundingMode::down:
      return from_single<RoundingMode::down>(how.to);
    case RoundingMode::up:
      return from_single<RoundingMode::up>(how.to);
    default:
      return nullptr;
  }
}

Handler among_reals(const Conversion& how) {
  if (how.to == T::f32 && how.from == T::f16) return &map1<float, uint16_t, single_of_half>;
  if (how.to == T::f32 && how.from == T::bf16) return &map1<float, uint16_t, native::f32_of_bf16>;
  if (how.to == T::f64 && how.from == T::f32) return &map1<double, float, double_of_single>;
  if (how.rounding != RoundingMode::nearest) return nullptr;
  if (how.to == T::f16 && how.from == T::f32) return &map1<uint16_t, float, half_of>;
  if (how.to == T::bf16 && how.from == T::f32) return &map1<uint16_t, float, bfloat_of>;
  return how.to == T::f32 && how.from == T::f64 ? &map1<float, double, single_of_double> : nullptr;
}

/// Of registers as wide as the types.
Handler from_integer(const Conversion& how) {
  if (how.rounding != RoundingMode::nearest) return nullptr;
  if (how.to == T::f32 && how.from == T::s32) return &map1<float, int32_t, cast<float, int32_t>>;
  if (how.to == T::f32 && how.from == T::u32) return &map1<float, uint32_t, cast<float, uint32_t>>;
  if (how.to == T::f32 && how.from == T::s64) return &map1<float, int64_t, cast<float, int64_t>>;
  if (how.to == T::f32 && how.from == T::u64) return &map1<float, uint64_t, cast<float, uint64_t>>;
  if (how.to == T::f64 && how.from == T::s32) return &map1<double, int32_t, cast<double, int32_t>>;
  return how.to == T::f64 && how.from == T::u32 ? &map1<double, uint32_t, cast<double, uint32_t>> : nullptr;
}

Handler among_integers(const Conversion& how) {
  const int to = integer_bits(how.to), from = integer_bits(how.from);
  if (to == 64 && how.from == T::s32) return &map1<int64_t, int32_t, cast<int64_t, int32_t>>;
  if (to == 64 && how.from == T::u32) return &map1<uint64_t, uint32_t, cast<uint64_t, uint32_t>>;
  if (to == 32 && from == 64) return &map1<uint32_t, uint64_t, cast<uint32_t, uint64_t>>;
  if (to == 32 && how.from == T::u16) return &map1<uint32_t, uint16_t, cast<uint32_t, uint16_t>>;
  if (to == 32 && how.from == T::s16) return &map1<int32_t, int16_t, cast<int32_t, int16_t>>;
  return to == 16 && from == 32 ? &map1<uint16_t, uint32_t, cast<uint16_t, uint32_t>> : nullptr;
}

template <auto f>
uint32_t two(float high, float low) {
  return uint32_t{f(high)} << 16U | f(low);
}

bool plain(const Conversion& how) { return !how.ftz && !how.sat && !how.satfinite && !how.relu; }

}  // namespace

Handler fast_conversion(const Conversion& how, uint32_t to_bytes, uint32_t from_bytes) {
  if (!plain(how) || stored_bits(how.to) != static_cast<int>(8 * to_bytes) ||
      stored_bits(how.from) != static_cast<int>(8 * from_bytes))
    return nullptr;
  if (is_integer(how.to) && is_integer(how.from)) return among_integers(how);
  if (how.from == T::f32 && (is_integer(how.to) || how.integral)) return rounded_from_single(how);
  if (is_integer(how.to) || how.integral) return nullptr;
  return is_integer(how.from) ? from_integer(how) : among_reals(how);
}

Handler fast_pair(const Conversion& how) {
  if (!plain(how) || how.from != T::f32 || how.rounding != RoundingMode::nearest) return nullptr;
  if (how.to == T::f16) return &map2<uint32_t, float, float, two<native::f16_of_f32>>;
  return how.to == T::bf16 ? &map2<uint32_t, float, float, two<native::bf16_of_f32>> : nullptr;
}

}  // namespace parity::ptx
