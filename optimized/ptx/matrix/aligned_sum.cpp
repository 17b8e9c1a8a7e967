// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/matrix/aligned_sum.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "optimized/ptx/number/exact.hpp"
#include "optimized/ptx/number/exact_operations.hpp"
#include "optimized/ptx/number/native.hpp"

namespace parity::ptx {
namespace {

/// (-1)^negative * significand * 2^(exponent - kPoint), the significand of f32 or of a product of two.
constexpr int kPoint = 46;
struct AlignedTerm {
  bool negative;
  int exponent;
  int64_t significand;
};

Exact exact_single(float x) { return decode(NumberType::f32, std::bit_cast<uint32_t>(x)); }

AlignedTerm aligned_product(const Exact& a, const Exact& b) {
  const uint64_t significand =
      (a.significand >> 40) * (b.significand >> 40);  // 24 bits each: bit 46 or 47 is the highest
  return {a.negative != b.negative, a.exponent + b.exponent + 126, static_cast<int64_t>(significand)};
}

AlignedTerm aligned_addend(const Exact& x) {
  return {x.negative, x.exponent + 63, static_cast<int64_t>(x.significand >> (63 - kPoint))};
}

/// Returns the sum of at most 65 terms: each is truncated `fraction_bits` below the largest exponent, and the sum is
/// truncated to f32.
float sum_of_aligned(const AlignedTerm* terms, size_t count, int fraction_bits) {
  int largest = terms[0].exponent;
  for (size_t i = 1; i < count; ++i) largest = std::max(largest, terms[i].exponent);
  int64_t sum = 0;
  for (size_t i = 0; i < count; ++i) {
    const int shift = std::min(kPoint - fraction_bits + largest - terms[i].exponent, 63);
    const int64_t kept = terms[i].significand >> shift;
    sum += terms[i].negative ? -kept : kept;
  }
  const Exact exact = exact_of(sum < 0, static_cast<uint64_t>(sum < 0 ? -sum : sum), largest - fraction_bits);
  return std::bit_cast<float>(static_cast<uint32_t>(encode(NumberType::f32, exact, RoundingMode::zero)));
}

}  // namespace

float aligned_sum(int n, int k, const float* a_row, const float* b_column, float start, const Summation& how) {
  float sum = start;
  for (int first = 0; first < k; first += how.group) {
    std::array<AlignedTerm, 65> terms{};
    size_t count = 0;
    Exact special{};  // the sum of what is not finite decides alone
    const Exact so_far = exact_single(sum);
    if (so_far.kind == Exact::Kind::finite) terms[count++] = aligned_addend(so_far);
    if (so_far.kind > Exact::Kind::finite) special = so_far;
    for (int l = first; l < std::min(first + how.group, k); ++l) {
      const Exact a = exact_single(a_row[l]);
      const Exact b = exact_single(b_column[static_cast<ptrdiff_t>(l) * n]);
      if (a.kind == Exact::Kind::finite && b.kind == Exact::Kind::finite) {
        terms[count++] = aligned_product(a, b);
      } else if (a.kind > Exact::Kind::finite || b.kind > Exact::Kind::finite) {
        special = exact_sum(special, exact_product(a, b), RoundingMode::nearest);
      }
    }
    if (special.kind > Exact::Kind::finite) {
      sum = std::bit_cast<float>(static_cast<uint32_t>(encode(NumberType::f32, special, RoundingMode::nearest)));
    } else {
      sum = count == 0 ? 0.0F : sum_of_aligned(terms.data(), count, how.fraction_bits);
    }
  }
  return sum;
}

}  // namespace parity::ptx
