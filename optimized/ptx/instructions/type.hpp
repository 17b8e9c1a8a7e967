// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string_view>

namespace parity::ptx {

enum class Type : uint8_t {
  none,
  pred,
  b8,
  u8,
  s8,
  b16,
  u16,
  s16,
  b32,
  u32,
  s32,
  b64,
  u64,
  s64,
  f16,
  bf16,
  f16x2,
  bf16x2,
  f32,
  f64
};

/// none for what is no type, or one that this machine does not compute with.
[[nodiscard]] Type type_of(std::string_view part);
[[nodiscard]] uint32_t bytes_of(Type type);
[[nodiscard]] constexpr bool is_signed(Type t) {
  return t == Type::s8 || t == Type::s16 || t == Type::s32 || t == Type::s64;
}
[[nodiscard]] constexpr bool is_half(Type t) { return t >= Type::f16 && t <= Type::bf16x2; }
[[nodiscard]] constexpr bool is_real(Type t) { return t >= Type::f16; }
[[nodiscard]] constexpr bool is_integer(Type t) { return t >= Type::b8 && t <= Type::s64; }

}  // namespace parity::ptx
