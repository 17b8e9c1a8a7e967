// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Swizzles of shared memory: a permutation of chunks within each 128 bytes that changes from line to line. PTX ISA
// 5.5.7.
#pragma once

#include <cstdint>

namespace parity::ptx {

/// The swizzles of wgmma descriptors and tensor maps. Only tensor maps have `b128_atom32` and `b128_atom64`.
enum class Swizzle : uint8_t { none, b32, b64, b128, b128_atom32, b128_atom64 };

/// Bytes of a row that a swizzle permutes; 0 for none.
[[nodiscard]] constexpr uint32_t span_of(Swizzle swizzle) {
  switch (swizzle) {
    case Swizzle::none:
      return 0;
    case Swizzle::b32:
      return 32;
    case Swizzle::b64:
      return 64;
    default:
      return 128;
  }
}

/// Bytes that stay together.
[[nodiscard]] constexpr uint32_t atom_of(Swizzle swizzle) {
  if (swizzle == Swizzle::b128_atom32) return 32;
  return swizzle == Swizzle::b128_atom64 ? 64 : 16;
}

/// Where the byte that an unswizzled layout puts at `address` lies: the number of its atom within the span, xor the low
/// bits of the number of its 128-byte line, counted from `first_line` (the base offset). Its own inverse.
[[nodiscard]] constexpr uint32_t swizzled(Swizzle swizzle, uint32_t address, uint32_t first_line = 0) {
  if (swizzle == Swizzle::none) return address;
  const uint32_t atoms = span_of(swizzle) / atom_of(swizzle);
  const uint32_t line = (address / 128 - first_line) % atoms;
  return address ^ (line * atom_of(swizzle));
}

}  // namespace parity::ptx
