// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Measured on an H100 (driver 580) by ci/gpu/probe: this gives every recorded word of mma.sync and wgmma.
//
// | instruction          | products in a group     | fraction bits | result of a group                            |
// |----------------------|-------------------------|---------------|----------------------------------------------|
// | f16, bf16, tf32      | all of the instruction  | 25            | cut off to f32; of .f16 sums to nearest f16  |
// | wgmma of e4m3, e5m2  | all of the instruction  | 13            | cut off to 13 bits of the fraction           |
// | mma of e4m3, e5m2    | two of half of them     | 25            | as f16; C is added at last, to nearest       |
//
// The GPU has no mma of 8-bit types: these are two of f16, the first with the low two of each four products, and an
// addition. Not measured: wmma, m8n8k4 of f16, wgmma with sums of f16 or with another C than 1, the sign of a sum of
// zeros.
#include "optimized/ptx/matrix/product.hpp"

namespace parity::ptx {
namespace {

bool has_eight_bits(MatrixType type) { return type == MatrixType::e4m3 || type == MatrixType::e5m2; }

int smallest_exponent(MatrixType type) {
  switch (type) {
    case MatrixType::f16:
    case MatrixType::e5m2:
      return -14;
    case MatrixType::e4m3:
      return -6;
    default:
      return -126;
  }
}

}  // namespace

AlignedSum hopper_sum(const ProductKind& kind, int k) {
  AlignedSum sum{.group = k,
                 .rounds_to_half = kind.sum == MatrixType::f16,
                 .smallest_a = smallest_exponent(kind.a),
                 .smallest_b = smallest_exponent(kind.b),
                 .smallest_c = smallest_exponent(kind.sum)};
  if (!has_eight_bits(kind.a)) return sum;
  if (kind.warpgroup) {
    sum.fraction_bits = sum.result_bits = 13;
  } else {
    sum.group = k / 2;
    sum.pairs_of_four = sum.adds_c_last = true;
    sum.smallest_a = sum.smallest_b = smallest_exponent(MatrixType::f16);
  }
  return sum;
}

}  // namespace parity::ptx
