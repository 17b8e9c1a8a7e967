// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/matrix/aligned_sum.hpp"

#include <algorithm>
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

/// A finite operand: 24 bits, bit 23 stands for 2^exponent. `smallest` is the exponent of the type's subnormal numbers.
AlignedTerm operand(const Exact& x, int smallest) {
  const int exponent = std::max(x.exponent + 63, smallest);
  return {x.negative, exponent, static_cast<int64_t>(x.significand >> (40 + exponent - (x.exponent + 63)))};
}

AlignedTerm product_of(const AlignedTerm& a, const AlignedTerm& b) {
  return {a.negative != b.negative, a.exponent + b.exponent, a.significand * b.significand};
}

Exact exact_single(float x) { return decode(NumberType::f32, std::bit_cast<uint32_t>(x)); }

float single_of(const Exact& x, RoundingMode mode) {
  return std::bit_cast<float>(static_cast<uint32_t>(encode(NumberType::f32, x, mode)));
}

/// Rounded or cut off as `how` says.
float result_of(const Exact& sum, const AlignedSum& how) {
  if (how.rounds_to_half)
    return native::f32_of_f16(static_cast<uint16_t>(encode(NumberType::f16, sum, RoundingMode::nearest)));
  if (sum.exponent + 63 > 127) return single_of({Exact::Kind::infinity, sum.negative, 0, 0}, RoundingMode::nearest);
  const auto code = static_cast<uint32_t>(encode(NumberType::f32, sum, RoundingMode::zero));
  return std::bit_cast<float>(code >> (23 - how.result_bits) << (23 - how.result_bits));
}

float sum_of_aligned(const AlignedTerm* terms, size_t count, const AlignedSum& how) {
  int largest = terms[0].exponent;
  for (size_t i = 1; i < count; ++i) largest = std::max(largest, terms[i].exponent);
  int64_t sum = 0;
  for (size_t i = 0; i < count; ++i) {
    const int shift = std::min(kPoint - how.fraction_bits + largest - terms[i].exponent, 63);
    const int64_t kept = terms[i].significand >> shift;
    sum += terms[i].negative ? -kept : kept;
  }
  if (sum == 0) return 0.0F;
  return result_of(exact_of(sum < 0, static_cast<uint64_t>(sum < 0 ? -sum : sum), largest - how.fraction_bits), how);
}

}  // namespace

float aligned_group(const float* a, const float* b, int stride, int count, float start, const AlignedSum& how) {
  std::array<AlignedTerm, AlignedSum::kMostGroup + 1> terms{};
  size_t finite = 0;
  Exact special{};  // the sum of what is not finite decides alone
  const Exact so_far = exact_single(start);
  if (so_far.kind == Exact::Kind::finite) {
    terms[finite] = operand(so_far, how.smallest_c);
    terms[finite++].significand <<= kPoint - 23;
  }
  if (so_far.kind > Exact::Kind::finite) special = so_far;
  for (int l = 0; l < count; ++l) {
    const Exact x = exact_single(a[l]), y = exact_single(b[static_cast<ptrdiff_t>(l) * stride]);
    if (x.kind == Exact::Kind::finite && y.kind == Exact::Kind::finite) {
      terms[finite++] = product_of(operand(x, how.smallest_a), operand(y, how.smallest_b));
    } else if (x.kind > Exact::Kind::finite || y.kind > Exact::Kind::finite) {
      special = exact_sum(special, exact_product(x, y), RoundingMode::nearest);
    }
  }
  if (special.kind > Exact::Kind::finite) return single_of(special, RoundingMode::nearest);
  return finite == 0 ? 0.0F : sum_of_aligned(terms.data(), finite, how);
}

}  // namespace parity::ptx
