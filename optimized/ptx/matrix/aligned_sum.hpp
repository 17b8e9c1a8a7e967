// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A sum in which terms are shifted to the largest exponent and cut off, as tensor cores add.
#pragma once

#include <array>
#include <cstdint>

namespace parity::ptx {

/// How products of a row of A and a column of B are added to C.
///
/// A group of products and the sum so far are one addition. The exponent of a product is the sum of its operands'
/// exponents, so its significand may have two bits before the point; a subnormal operand has its type's smallest
/// exponent, and a zero has none. Each term is cut off, towards zero, `fraction_bits` below the largest exponent. What
/// is left is added exactly. Infinities and NaN decide alone; NaN is canonical, a sum of zero is +0, and what f32
/// cannot hold is infinity.
struct AlignedSum {
  static constexpr int kMostGroup = 64;

  int group = 16;               // products
  int fraction_bits = 25;       // 13 to 36
  int result_bits = 23;         // of the fraction of a group's sum; those below are cut off
  bool rounds_to_half = false;  // instead, a group's sum is rounded to the nearest f16
  bool adds_c_last = false;     // the groups start from zero; C is added at last, to the nearest f32 (or f16)
  bool pairs_of_four = false;   // first the products 0 and 1 of each four, then 2 and 3
  int smallest_a = -126, smallest_b = -126, smallest_c = -126;  // the exponents of the types' smallest normal numbers
};

/// One group: start + the `count` products of a[l] and b[l * stride].
[[nodiscard]] float aligned_group(const float* a, const float* b, int stride, int count, float start,
                                  const AlignedSum& how);

}  // namespace parity::ptx
