// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/vacuity.hpp"

#include <algorithm>
#include <cmath>

#include "core/random.hpp"

namespace parity::compare {
namespace {

/// Elements for which the tolerance would also accept 0, -x, or the value of another row.
struct Vacuous {
  int64_t zero = 0, negated = 0, swapped = 0, considered = 0;
};

Vacuous count_vacuous(const Values& v, const Tolerance& tolerance) {
  Vacuous result;
  const Random pairing(0, "rows to swap");
  // Beside the largest element of the tap these are a few roundings of binary32: gelu's far tail, whose sign is noise.
  const double negligible = 16.0 * std::min(unit_roundoff(v.dtype), unit_roundoff(DType::f32)) * tolerance.largest();
  for (int64_t i = 0; i < v.count; ++i) {
    const double exact = v.exact[i];
    if (!std::isfinite(exact) || std::abs(exact) <= negligible) continue;
    ++result.considered;
    const double allowed = tolerance.at(i);
    if (std::abs(exact) <= allowed) ++result.zero;
    if (2.0 * std::abs(exact) <= allowed) ++result.negated;
    const auto rows = static_cast<uint64_t>(v.count / v.row);
    const auto other = static_cast<int64_t>(pairing.below(static_cast<uint64_t>(i), rows)) * v.row + i % v.row;
    const double step = std::abs(v.exact[other] - exact);
    const double indistinct =
        2.0 * v.noise[i] + 4.0 * unit_roundoff(v.dtype) * std::abs(exact);  // alike for every implementation
    if (step <= allowed && step > indistinct) ++result.swapped;
  }
  return result;
}

/// More than 1 % of n, beyond what a few small elements of a small tap amount to.
bool too_many(int64_t count, int64_t n) {
  const double expected = 0.01 * static_cast<double>(n);
  return static_cast<double>(count) > expected + 3.0 * std::sqrt(expected) + 2.0;
}

bool constant(const Values& v) {
  constexpr int64_t kFew =
      16;  // a handful of equal numbers proves nothing; rows of one (weights of top-1) are 1 by definition
  return v.count >= kFew && (v.row > 1 || v.got[0] == 0.0) &&
         std::all_of(v.got, v.got + v.count, [&](double x) { return x == v.got[0]; });
}

}  // namespace

void judge_vacuity(const Values& v, const Tolerance& tolerance, Record& record) {
  const Vacuous vacuous = count_vacuous(v, tolerance);
  const auto share = [&](int64_t count) {
    return 100.0 * static_cast<double>(count) / static_cast<double>(vacuous.considered);
  };
  if (constant(v)) record.reason = "the output is constant";
  if (too_many(vacuous.zero, vacuous.considered))
    record.reason = fmt::format("the bound would accept 0 for {:.1f}% of the elements", share(vacuous.zero));
  if (too_many(vacuous.negated, vacuous.considered))
    record.reason = fmt::format("the bound would accept -x for {:.1f}% of the elements", share(vacuous.negated));
  if (too_many(vacuous.swapped, vacuous.considered))
    record.reason =
        fmt::format("the bound would accept another row for {:.1f}% of the elements", share(vacuous.swapped));
  if (!record.reason.empty()) record.status = Status::mistrusted;
}

}  // namespace parity::compare
