// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/elements.hpp"

#include <algorithm>
#include <cmath>

#include "compare/bias.hpp"
#include "compare/logits.hpp"
#include "compare/noise.hpp"
#include "compare/slices.hpp"
#include "core/random.hpp"

namespace parity::compare {
namespace {

/// Share of a budget that one element uses; NaN and infinities are matched exactly, before any tolerance.
double budget_of(const Values& v, const Tolerance& tolerance, int64_t i) {
  constexpr double kBroken = std::numeric_limits<double>::infinity();
  const double exact = v.exact[i];
  const double got = v.got[i];
  const double rounded = v.rounded[i];
  if (std::isnan(exact) || std::isnan(got)) return std::isnan(exact) && std::isnan(got) ? 0.0 : kBroken;
  if (std::isinf(exact)) return got == exact ? 0.0 : kBroken;
  if (std::isinf(got)) return got == rounded ? 0.0 : kBroken;  // overflow of T where the oracle overflows too
  const double error = std::abs(got - exact);
  if (error == 0.0) return 0.0;
  const double allowed = tolerance.at(i);
  return std::isnan(allowed) || allowed == 0.0 ? kBroken : error / allowed;
}

/// Bits of the oracle-rounded reference are all that counts; the budget says how far off others are.
double budget_of_bits(const Values& v, const Tolerance& tolerance, int64_t i) {
  const double expected = round_to(v.dtype, v.rounded[i]);
  const bool same = v.got[i] == expected && std::signbit(v.got[i]) == std::signbit(expected);
  if (same || (std::isnan(v.got[i]) && std::isnan(expected))) return 0.0;
  return std::max(budget_of(v, tolerance, i), std::nextafter(1.0, 2.0));
}

void fill_worst(const Values& v, const Tolerance& tolerance, int64_t i, Record& record) {
  record.worst.index = index_of(i, record.shape);
  record.worst.exact = v.exact[i];
  record.worst.rounded = round_to(v.dtype, v.rounded[i]);
  record.worst.got = v.got[i];
  record.worst.ulp = ulp_distance(v.dtype, v.got[i], v.rounded[i]);
  record.terms = tolerance.terms(i);
}

/// An unequal element is explained when the exact value lies within its error bound (one rounding less) of the boundary
/// between the two candidates for its bits; in any tap, when the two differ by binary32 noise only, small beside
/// the tap's largest element (a cancellation inside, 1 + erf(x) of large negative x, is worth many ulp of T).
bool explained(const Values& v, int64_t i, double expected, double largest) {
  constexpr double kCancelled = 64.0;  // u of binary32; a wider noise is no cancellation but a loose bound
  const bool cancelled = v.noise[i] <= kCancelled * unit_roundoff(DType::f32) * largest;
  if (cancelled && std::abs(v.got[i] - expected) <= v.noise[i]) return true;
  if (v.dtype == DType::f32 && v.working != DType::f32) return std::abs(v.got[i] - expected) <= v.noise[i];
  const double boundary = 0.5 * (v.got[i] + expected);
  const double last = unit_roundoff(v.dtype) * std::abs(v.exact[i]);
  const double reach = v.noise[i] + std::max(v.rounding[i] - last, 0.0);
  return ulp_distance(v.dtype, v.got[i], expected) <= 1.0 && std::abs(v.exact[i] - boundary) <= reach;
}

/// Bits against the oracle-rounded reference.
BitEqual count_bits(const Values& v, double largest) {
  BitEqual bits;
  bits.total = v.count;
  for (int64_t i = 0; i < v.count; ++i) {
    const double expected = round_to(v.dtype, v.rounded[i]);
    bits.max_ulp = std::max(bits.max_ulp, ulp_distance(v.dtype, v.got[i], expected));
    if (v.got[i] == expected || (std::isnan(v.got[i]) && std::isnan(expected))) {
      ++bits.equal;
    } else if (explained(v, i, expected, largest)) {
      ++bits.near_ties;
    }
  }
  return bits;
}

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

/// Noise flips a rounding inside a component now and then, and one flip reaches no more than its row. Where an eighth of
/// the elements, in many rows, have other bits, they were rounded elsewhere, near-ties or not.
bool rounded_elsewhere(const Values& v, const BitEqual& bits) {
  constexpr int64_t kRows = 8;
  if (v.dtype != v.working || (bits.total - bits.equal) * 8 <= bits.total) return false;
  int64_t rows = 0;
  for (int64_t first = 0; first < v.count; first += v.row) {
    bool unequal = false;
    for (int64_t i = first; i < first + v.row; ++i) {
      const double expected = round_to(v.dtype, v.rounded[i]);
      unequal = unequal || !(v.got[i] == expected || (std::isnan(v.got[i]) && std::isnan(expected)));
    }
    rows += unequal ? 1 : 0;
  }
  return rows >= kRows;
}

/// Systematic deviations that no single element shows.
void judge_systematic(const Values& v, const ElementRules& rules, Record& record) {
  constexpr double kSuspicious = 8.0;  // standard errors, and more than noise explains (bias.cpp)
  if (std::abs(record.bias.z) > kSuspicious) {
    record.status = Status::fail;
    record.reason = fmt::format("systematic error: mean deviation of {:+.1f} standard errors in {}", record.bias.z,
                                record.bias.where);
  }
  const int64_t unexplained = record.bit_equal.total - record.bit_equal.equal - record.bit_equal.near_ties;
  constexpr int64_t kFewest = 8;
  if (rules.claims_rounding && unexplained >= kFewest && unexplained * 100 > record.bit_equal.total) {
    record.status = Status::fail;
    record.reason = fmt::format("{} of {} elements are not the oracle's bits and no near-tie explains them",
                                unexplained, record.bit_equal.total);
  } else if (rules.claims_rounding && rounded_elsewhere(v, record.bit_equal)) {
    record.status = Status::fail;
    record.reason = fmt::format("{} of {} elements are not the oracle's bits: it rounds elsewhere",
                                record.bit_equal.total - record.bit_equal.equal, record.bit_equal.total);
  }
}

/// Spans: the tolerance of one element has to allow for the largest drift of the tap, the root mean square has not.
/// Seen in correct recordings (64 of them, cut down to layer outputs, halves of layers, logits only): ratio <= 0.8, worst
/// row <= 3.1; median row <= 0.6, and more only where a tap has a handful of rows.
void judge_noise(const Values& v, double most, Record& record) {
  constexpr int64_t kFewest = 64;  // elements
  constexpr int64_t kFewestRows = 16;
  constexpr int64_t kShortestRow = 32;
  constexpr double kMostRow = 8.0;  // a row may be noisier than the tap
  const double most_median = 1.5 * most;
  const Noise& noise = record.noise;
  if (noise.elements >= kFewest && noise.ratio > most)
    record.reason = fmt::format("root mean square deviation is {:.1f} times that of the roundings", noise.ratio);
  else if (v.row >= kShortestRow && noise.elements >= kFewest && noise.worst_row > kMostRow)
    record.reason = fmt::format("row {} is {:.1f} times as far from the reference as roundings put the tap", noise.row,
                                noise.worst_row);
  else if (v.count / v.row >= kFewestRows && noise.median_row > most_median)
    record.reason = fmt::format("half of the rows are {:.1f} times as far from the reference as roundings put the tap",
                                noise.median_row);
  if (!record.reason.empty()) record.status = Status::fail;
}

/// Behind an unrecorded choice elements may differ: single tokens by as much as unrelated values, but a whole tap remains
/// closer to the reference than zeros are (correct recordings: below 0.1).
void judge_undecided(const Values& v, const ElementRules& rules, Record& record) {
  if (record.undecided.deviating == 0) return;
  constexpr double kUnrelated = 1.5;
  constexpr double kMostly = 0.7;
  const double most = 2 * record.undecided.elements > v.count ? kMostly : kUnrelated;
  const double deviation = relative_deviation(v, rules.tainted);
  if (deviation < most) return;
  record.status = Status::fail;
  record.failed = record.undecided.deviating;
  record.reason =
      fmt::format("behind choices that nothing recorded, but {:.1f} times as far off as zeros would be", deviation);
}

}  // namespace

void judge_elements(const Values& v, const ElementRules& rules, Record& record) {
  const Tolerance tolerance(v);
  FailureMap failures(record.axes, record.shape);
  double largest_error = 0.0;
  for (int64_t i = 0; i < v.count; ++i) {
    double budget = rules.bit_by_bit ? budget_of_bits(v, tolerance, i) : budget_of(v, tolerance, i);
    const bool tainted = !rules.tainted.empty() && rules.tainted[static_cast<size_t>(i)];
    if (tainted) ++record.undecided.elements;
    if (tainted && budget > 1.0 && std::isfinite(v.got[i]) == std::isfinite(v.exact[i])) {
      ++record.undecided.deviating;  // perhaps a legitimate flip upstream
      budget = 0.0;
    }
    failures.add(budget);
    const double error = std::abs(v.got[i] - v.exact[i]);
    if (std::isfinite(error)) largest_error = std::max(largest_error, error);
  }
  record.elements = v.count;
  record.failed = failures.failed();
  record.budget_used = failures.worst_budget();
  record.relative_error = tolerance.largest() == 0.0 ? 0.0 : largest_error / tolerance.largest();
  record.inherited = v.inherited && tolerance.largest() > 0.0 ? tolerance.drift() / tolerance.largest() : 0.0;
  if (v.count > 0) fill_worst(v, tolerance, failures.worst(), record);
  record.bit_equal = count_bits(v, tolerance.largest());
  record.bias = fit_bias(v);
  record.noise = noise_of(v, rules.tainted);
  if (rules.logits) record.logits = compare_logits(v);
  record.slices = failures.slices();
  if (record.failed > 0) {
    record.status = Status::fail;
    record.where = failures.description();
    return;
  }
  judge_undecided(v, rules, record);
  if (rules.most_noise > 0.0) judge_noise(v, rules.most_noise, record);
  if (rules.tainted.empty() && !v.inherited) judge_systematic(v, rules, record);
  // Where bits are judged, 1 % of substituted elements fail anyway.
  if (record.status == Status::pass && rules.check_vacuity && !rules.claims_rounding && !rules.bit_by_bit)
    judge_vacuity(v, tolerance, record);
}

}  // namespace parity::compare
