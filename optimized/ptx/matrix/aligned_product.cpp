// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Eight elements of a row at once: their largest exponents, then the products, scaled by powers of two so that the
// conversion to integers is what cuts them off. Where an exponent is so large or small that a scaled product might not
// be exact, aligned_group() works the element out.
#include "optimized/ptx/matrix/aligned_product.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "optimized/ptx/matrix/aligned_operands.hpp"
#include "optimized/ptx/number/native.hpp"

namespace parity::ptx {
namespace {

constexpr int kMostBits = 25;            // of the fraction
constexpr int kIntegerBits = 28;         // products of 2^(2 + fraction bits): so many fit in an integer, with C
constexpr int kLow = -100, kHigh = 120;  // the largest exponents for which scaled products are exact
constexpr int kMostHalf = 0x3FFFFF80;    // of a sum that fits in an integer and rounds to one that does

/// One group of one row and eight columns.
struct Group {
  const float* a;
  const int32_t* a_exponents;
  const Floats* b;
  const Wholes* b_exponents;
  int count;
};

void set_largest(const Group& group, const Floats& start, int smallest, Wholes& largest) {
  set_exponents(start, smallest, largest);
  for (int l = 0; l < group.count; ++l) {
    const Wholes exponent = group.b_exponents[l] + group.a_exponents[l];
    largest = exponent > largest ? exponent : largest;
  }
  largest = largest < kNoTerm ? Wholes{} : largest;  // all are zero: any exponent will do
}

/// The sum of terms that `scale` makes integers, in two parts, each of at most `most` products: none overflows.
struct Parts {
  Wholes first, second;
};
void add_cut(const Group& group, const Floats& start, const Floats& scale, int most, Parts& parts) {
  const int middle = std::min(group.count, most);
  parts.first = __builtin_convertvector(start * scale, Wholes);
  parts.second = Wholes{};
  for (int l = 0; l < middle; ++l) parts.first += __builtin_convertvector(group.b[l] * group.a[l] * scale, Wholes);
  for (int l = middle; l < group.count; ++l)
    parts.second += __builtin_convertvector(group.b[l] * group.a[l] * scale, Wholes);
}

/// The integers `sum` times `unit`, cut off, or to nearest f16 by way of a f32 whose last bit stands for all below it.
void set_result(const Wholes& sum, const Floats& unit, const AlignedSum& how, Floats& result) {
  const Wholes sign = sum >> 31, magnitude = (sum ^ sign) - sign;
  const Floats nearest = __builtin_convertvector(magnitude, Floats);
  Wholes bits = reinterpret_cast<Wholes>(nearest);
  bits += __builtin_convertvector(nearest, Wholes) > magnitude;  // true is -1
  if (how.rounds_to_half) {
    bits |= (__builtin_convertvector(reinterpret_cast<Floats>(bits), Wholes) != magnitude) & 1;
  } else {
    bits &= -(1 << (23 - how.result_bits));
  }
  bits |= sign & INT32_MIN;
  result = reinterpret_cast<Floats>(bits) * unit;
  if (!how.rounds_to_half) return;
  for (int x = 0; x < kColumns; ++x) result[x] = native::f32_of_f16(native::f16_of_f32(result[x]));
}

bool any_of(const Wholes& conditions) {
  int32_t any = 0;
  for (int x = 0; x < kColumns; ++x) any |= conditions[x];
  return any != 0;
}

/// False where numbers are too large or small for it.
bool added_at_once(const Group& group, const AlignedSum& how, Floats& sums) {
  if (how.fraction_bits > kMostBits || group.count > 2 << (kIntegerBits - how.fraction_bits)) return false;
  Wholes exponent;
  set_largest(group, sums, how.smallest_c, exponent);
  if (any_of((exponent < kLow) | (exponent > kHigh))) return false;
  const Floats scale = reinterpret_cast<Floats>((127 + how.fraction_bits - exponent) << 23);
  const Floats unit = reinterpret_cast<Floats>((127 - how.fraction_bits + exponent) << 23);
  Parts parts;
  add_cut(group, sums, scale, 1 << (kIntegerBits - how.fraction_bits), parts);
  const Wholes half = (parts.first >> 1) + (parts.second >> 1);
  if (any_of((half > kMostHalf) | (half < -kMostHalf))) return false;
  set_result(parts.first + parts.second, unit, how, sums);
  return true;
}

void add_group(const Group& group, const AlignedSum& how, Floats& sums) {
  if (added_at_once(group, how, sums)) return;
  const auto* b = reinterpret_cast<const float*>(group.b);
  for (int x = 0; x < kColumns; ++x) sums[x] = aligned_group(group.a, b + x, kColumns, group.count, sums[x], how);
}

void add_last(const Floats& c, bool to_half, Floats& sums) {
  sums += c;
  for (int x = 0; x < kColumns; ++x) {
    if (to_half) sums[x] = native::f32_of_f16(native::f16_of_f32(sums[x]));
    sums[x] = native::result<false>(sums[x]);
  }
}

}  // namespace

void multiply_aligned(int m, int n, int k, const float* a, const float* b, const float* c, float* d,
                      const AlignedSum& how) {
  thread_local Rows rows;
  thread_local Columns columns;
  set_rows(m, k, a, how, rows);
  for (int j = 0; j < n; j += kColumns) {
    set_columns(n, k, b + j, how, columns);
    for (int i = 0; i < m; ++i) {
      const int at = i * n + j;
      Floats start, sums{};
      std::memcpy(&start, c + at, sizeof start);
      if (!how.adds_c_last) sums = start;
      for (int first = 0; first < k; first += how.group) {
        const Group group{rows.numbers.data() + i * k + first, rows.exponents.data() + i * k + first,
                          columns.numbers.data() + first, columns.exponents.data() + first,
                          std::min(how.group, k - first)};
        add_group(group, how, sums);
      }
      if (how.adds_c_last) add_last(start, how.rounds_to_half, sums);
      std::memcpy(d + at, &sums, sizeof sums);
    }
  }
}

}  // namespace parity::ptx
