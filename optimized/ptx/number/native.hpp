// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Round-to-nearest operations by the machine's own, for loops over lanes: branch-free, vectorised by the compiler. The
// caller holds a NearestEnvironment (number/environment.hpp) around the loop. Results are those of
// number/arithmetic.hpp.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace parity::ptx::native {

template <class T>
using Word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

/// f32 0x7FFFFFFF, f64 0x7FFFFFFFFFFFFFFF.
template <class T>
inline constexpr T kNaN = std::bit_cast<T>(static_cast<Word<T>>(~Word<T>{0} >> 1));

/// Subnormal to zero of its sign.
template <class T>
[[nodiscard]] inline T flushed(T x) {
  constexpr Word<T> kSign = Word<T>{1} << (8 * sizeof(T) - 1);
  const auto bits = std::bit_cast<Word<T>>(x);
  const bool small = (bits & ~kSign) < std::bit_cast<Word<T>>(std::numeric_limits<T>::min());
  return std::bit_cast<T>(small ? bits & kSign : bits);
}

template <bool ftz, class T>
[[nodiscard]] inline T argument(T x) {
  return ftz ? flushed(x) : x;
}

template <bool ftz, class T>
[[nodiscard]] inline T result(T x) {
  const T canonical = x != x ? kNaN<T> : x;
  return ftz ? flushed(canonical) : canonical;
}

template <bool ftz = false, class T>
[[nodiscard]] inline T add(T a, T b) {
  return result<ftz>(argument<ftz>(a) + argument<ftz>(b));
}

template <bool ftz = false, class T>
[[nodiscard]] inline T sub(T a, T b) {
  return result<ftz>(argument<ftz>(a) - argument<ftz>(b));
}

template <bool ftz = false, class T>
[[nodiscard]] inline T mul(T a, T b) {
  return result<ftz>(argument<ftz>(a) * argument<ftz>(b));
}

template <bool ftz = false, class T>
[[nodiscard]] inline T fma(T a, T b, T c) {
  return result<ftz>(std::fma(argument<ftz>(a), argument<ftz>(b), argument<ftz>(c)));
}

template <bool ftz = false, class T>
[[nodiscard]] inline T div(T a, T b) {
  return result<ftz>(argument<ftz>(a) / argument<ftz>(b));
}

template <bool ftz = false, class T>
[[nodiscard]] inline T sqrt(T a) {
  return result<ftz>(std::sqrt(argument<ftz>(a)));
}

/// .sat: NaN and what is not above zero to +0, what is above one to 1.
template <class T>
[[nodiscard]] inline T saturated(T x) {
  const T low = x > T{0} ? x : T{0};
  return low < T{1} ? low : T{1};
}

[[nodiscard]] inline float f32_of_bf16(uint16_t code) {
  return std::bit_cast<float>(static_cast<uint32_t>(code) << 16);
}

/// Converts exactly. NaN keeps its payload; the caller's next operation makes it canonical.
[[nodiscard]] inline float f32_of_f16(uint16_t code) {
  const uint32_t magnitude = static_cast<uint32_t>(code & 0x7FFFU) << 13;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112F;  // 2^(127 - 15): also right for subnormals
  const uint32_t wide = magnitude >= 0x0F800000U ? magnitude | 0x7F800000U : std::bit_cast<uint32_t>(scaled);
  return std::bit_cast<float>(wide | static_cast<uint32_t>(code & 0x8000U) << 16);
}

/// Nearest even; NaN canonical.
[[nodiscard]] inline uint16_t bf16_of_f32(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
  return static_cast<uint16_t>((bits & 0x7FFFFFFFU) > 0x7F800000U ? 0x7FFFU : rounded);
}

/// Nearest even; NaN canonical.
[[nodiscard]] inline uint16_t f16_of_f32(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  const uint32_t magnitude = bits & 0x7FFFFFFFU;
  const uint32_t normal = (magnitude - 0x38000000U + 0xFFFU + ((magnitude >> 13) & 1U)) >> 13;
  // The sum's unit in the last place is 2^-24, that of subnormal f16: the addition rounds.
  const uint32_t subnormal = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - 0x3F000000U;
  uint32_t code = magnitude < 0x38800000U ? subnormal : normal;
  code = magnitude >= 0x47800000U ? 0x7C00U : code;  // 65536 and above; what rounds up to it has carried there
  code |= (bits >> 16) & 0x8000U;
  return static_cast<uint16_t>(magnitude > 0x7F800000U ? 0x7FFFU : code);
}

}  // namespace parity::ptx::native
