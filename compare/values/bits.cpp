// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/values/bits.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace parity::compare {
namespace {

/// Whether a near-tie explains an unequal element: the exact value is within its error bound (less one rounding) of the
/// boundary between the two values. Or the two differ by binary32 noise that is small beside the tap's largest element:
/// after a cancellation (1 + erf(x), x far below 0) it is many ulp of T.
bool explained(const Values& v, int64_t i, double expected, double largest) {
  constexpr double kCancelled = 64.0;  // u of binary32; wider noise is not a cancellation but a loose bound
  const bool cancelled = v.noise[i] <= kCancelled * unit_roundoff(DType::f32) * largest;
  if (cancelled && std::abs(v.got[i] - expected) <= v.noise[i]) return true;
  if (v.dtype == DType::f32 && v.working != DType::f32) return std::abs(v.got[i] - expected) <= v.noise[i];
  const double boundary = 0.5 * (v.got[i] + expected);
  const double last = unit_roundoff(v.dtype) * std::abs(v.exact[i]);
  const double reach = v.noise[i] + std::max(v.rounding[i] - last, 0.0);
  return ulp_distance(v.dtype, v.got[i], expected) <= 1.0 && std::abs(v.exact[i] - boundary) <= reach;
}

}  // namespace

double expected_bits(const Values& v, int64_t i) { return round_to(v.dtype, v.rounded[i]); }

bool equals_rounded(const Values& v, int64_t i) {
  const double expected = expected_bits(v, i);
  return v.got[i] == expected || (std::isnan(v.got[i]) && std::isnan(expected));
}

BitEqual count_bits(const Values& v, double largest) {
  BitEqual bits;
  bits.total = v.count;
  for (int64_t i = 0; i < v.count; ++i) {
    bits.max_ulp = std::max(bits.max_ulp, ulp_distance(v.dtype, v.got[i], expected_bits(v, i)));
    if (equals_rounded(v, i)) {
      ++bits.equal;
    } else if (explained(v, i, expected_bits(v, i), largest)) {
      ++bits.near_ties;
    }
  }
  return bits;
}

bool rounded_elsewhere(const Values& v, const BitEqual& bits) {
  constexpr int64_t kRows = 8;
  if (v.dtype != v.working || (bits.total - bits.equal) * kElsewhereOneIn <= bits.total) return false;
  int64_t rows = 0;
  for (int64_t first = 0; first < v.count; first += v.row) {
    bool unequal = false;
    for (int64_t i = first; i < first + v.row; ++i) unequal = unequal || !equals_rounded(v, i);
    rows += unequal ? 1 : 0;
  }
  return rows >= kRows;
}

bool few_columns_moved(const Values& v, double largest) {
  constexpr int64_t kOneOf = 16;
  std::vector<bool> moved(static_cast<size_t>(v.row), false);
  for (int64_t i = 0; i < v.count; ++i) {
    const double expected = expected_bits(v, i);
    if (equals_rounded(v, i) || explained(v, i, expected, largest)) continue;
    const double last = unit_roundoff(v.dtype) * (std::abs(v.got[i]) + std::abs(expected));
    const bool noisy = 2.0 * v.noise[i] >= last;  // binary32 noise reaches one last place of the tap
    if (!noisy || !(std::abs(v.got[i] - expected) <= v.noise[i] + last)) return false;
    moved[static_cast<size_t>(i % v.row)] = true;
  }
  return std::count(moved.begin(), moved.end(), true) <= std::max<int64_t>(v.row / kOneOf, 2);
}

// If one term is rounded to T the other way, every sum over it changes, so a whole row may differ.
bool few_rows_flipped(const Values& v, double largest) {
  constexpr int64_t kOneOf = 16;
  if (v.working == DType::f32) return false;
  int64_t rows = 0;
  for (int64_t first = 0; first < v.count; first += v.row) {
    bool flipped = false;
    for (int64_t i = first; i < first + v.row; ++i) {
      if (equals_rounded(v, i) || explained(v, i, expected_bits(v, i), largest)) continue;
      const double last = v.dtype == DType::f32 ? 0.0 : unit_roundoff(v.dtype) * std::abs(v.exact[i]);
      if (v.rounding[i] <= 1.5 * last) return false;  // no inner value is rounded to T
      flipped = true;
    }
    rows += flipped ? 1 : 0;
  }
  return rows <= std::max<int64_t>(v.count / v.row / kOneOf, 2);
}

}  // namespace parity::compare
