// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// D = A B + C of small dense matrices, as tensor cores might add. PTX leaves order and rounding open (9.7.14.5.14).
#pragma once

#include <cstdint>

#include "optimized/ptx/matrix/aligned_sum.hpp"
#include "optimized/ptx/matrix/types.hpp"

namespace parity::ptx {

/// How the products of an element are added to C.
struct Summation {
  enum class Order : uint8_t {
    hopper,      // as an H100 adds: aligned sums whose group and bits the instruction decides (hopper_sum)
    sequential,  // in the order of k: each product exact, each sum rounded to nearest f32
    aligned,  // groups of products and the sum so far: cut off below the largest term's bits, added exactly, cut to f32
    perturbed,  // the sum to binary64 accuracy, moved within `bound` of the sum of magnitudes, rounded to f32
  };
  Order order = Order::hopper;
  /// aligned: products in a group, and bits kept below the leading bit of the largest exponent of the group. Fasi et
  /// al. 2021 (Numerical behavior of NVIDIA tensor cores) found groups of 4 to 8 and 24 bits in earlier GPUs.
  int group = 8;
  int fraction_bits = 24;  // 13 to 36
  double bound = 0x1p-22;
  uint64_t seed = 0;
};

/// Throws Error{usage} if the group or the number of bits is out of range.
void check_summation(const Summation& summation);

/// What an instruction multiplies, the type of D, in which it adds up, and whether it is one of a warpgroup (wgmma).
struct ProductKind {
  MatrixType a = MatrixType::f16, b = MatrixType::f16, sum = MatrixType::f32;
  bool warpgroup = false;
};

/// How an H100 adds the `k` products of one instruction.
[[nodiscard]] AlignedSum hopper_sum(const ProductKind& kind, int k);

/// All row-major, n a multiple of 8, each exact in its f32; sets NearestEnvironment itself. NaN results are canonical.
/// (m, k), (k, n), (m, n), (m, n)
void multiply(int m, int n, int k, const float* a, const float* b, const float* c, float* d, const ProductKind& kind,
              const Summation& summation = {});

/// Adds in the order of k with fma.rounding.f64: "identical to f64 fused multiply-add", 9.7.14.5.14.
void multiply_f64(int m, int n, int k, const double* a, const double* b, const double* c, double* d,
                  RoundingMode rounding = RoundingMode::nearest);

/// Adds exactly, then clamps to s32 (`satfinite`) or wraps. A and B hold numbers of at most 9 bits, k is at most 2^14.
void multiply_integer(int m, int n, int k, const int32_t* a, const int32_t* b, const int32_t* c, int32_t* d,
                      bool satfinite = false);

}  // namespace parity::ptx
