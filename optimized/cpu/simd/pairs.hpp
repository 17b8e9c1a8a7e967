// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Reads and writes two vectors of neighbours in the cheapest order: BF16 as lower and upper halves of words, which
// takes a shift and a mask, while conversion in order takes permutations. For functions of single elements.
#pragma once

#include "optimized/cpu/simd/vector.hpp"

namespace parity::cpu::PARITY_LEVEL {

inline constexpr int kTwo = 2 * kLanes;

/// 2 kLanes elements, in an order that only store_two reverses.
struct Two {
  Floats first, second;
};

[[gnu::always_inline]] inline Two load_two(const float* x) { return {load(x), load(x + kLanes)}; }
[[gnu::always_inline]] inline void store_two(float* x, const Two& v) {
  store(x, v.first);
  store(x + kLanes, v.second);
}

[[gnu::always_inline]] inline Two load_two(const BFloat16* x) {
  Words both;
  std::memcpy(&both, x, sizeof both);
  return {__builtin_bit_cast(Floats, both << 16U), __builtin_bit_cast(Floats, both & 0xffff0000U)};
}
/// Rounds to nearest, ties to even, and stores; NaN stays NaN.
[[gnu::always_inline]] inline void store_two(BFloat16* x, const Two& v) {
  const auto nearest = [](Floats value) {
    const Words bits = __builtin_bit_cast(Words, value);
    const Words near = bits + (((bits >> 16U) & 1U) + 0x7fffU);
    return value == value ? near : bits | 0x400000U;
  };
  const Words both = (nearest(v.first) >> 16U) | (nearest(v.second) & 0xffff0000U);
  std::memcpy(x, &both, sizeof both);
}

/// Returns function(a) or function(a, b) of both vectors.
template <class Function, class... Operands>
[[gnu::always_inline]] inline Two of_two(const Function& function, const Operands&... operands) {
  return {function(operands.first...), function(operands.second...)};
}

}  // namespace parity::cpu::PARITY_LEVEL
