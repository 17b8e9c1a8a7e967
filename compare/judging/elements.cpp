// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/elements.hpp"

#include <algorithm>
#include <cmath>

#include "compare/goldens/logits.hpp"
#include "compare/judging/bias.hpp"
#include "compare/judging/noise.hpp"
#include "compare/studies/power.hpp"
#include "compare/values/bits.hpp"
#include "compare/values/slices.hpp"
#include "core/parallel.hpp"

namespace parity::compare {
namespace {

constexpr int64_t kWorthThreads = int64_t{1} << 16;  // elements from which on threads are used

bool same_class(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Returns 0 if element i has the oracle-rounded reference's bits, else a share above 1 for the deviation's size.
double budget_of_bits(const Values& v, const Tolerance& tolerance, bool zero_signs, int64_t i) {
  const bool any_sign = std::isnan(v.got[i]) || (v.got[i] == 0.0 && !zero_signs);
  if (equals_rounded(v, i) && (any_sign || std::signbit(v.got[i]) == std::signbit(expected_bits(v, i)))) return 0.0;
  return std::max(budget_of(v, tolerance, i), std::nextafter(1.0, 2.0));
}

void fill_worst(const Values& v, const Tolerance& tolerance, int64_t i, Record& record) {
  record.worst.index = index_of(i, record.shape);
  record.worst.exact = v.exact[i];
  record.worst.rounded = expected_bits(v, i);
  record.worst.got = v.got[i];
  record.worst.ulp = ulp_distance(v.dtype, v.got[i], v.rounded[i]);
  record.terms = tolerance.terms(i);
}

/// Compares every element with the tolerance and returns the largest deviation.
double tally_elements(const Values& v, const ElementRules& rules, const Tolerance& tolerance, FailureMap& failures,
                      Undecided& undecided) {
  double largest_error = 0.0;
  for (int64_t i = 0; i < v.count; ++i) {
    double budget = rules.bit_by_bit ? budget_of_bits(v, tolerance, rules.zero_signs, i) : budget_of(v, tolerance, i);
    const bool tainted = !rules.tainted.empty() && rules.tainted[static_cast<size_t>(i)];
    if (tainted) ++undecided.elements;
    if (tainted && budget > 1.0 && std::isfinite(v.got[i]) == std::isfinite(v.exact[i])) {
      ++undecided.deviating;  // may come from a legitimate flip upstream
      budget = 0.0;
    }
    failures.add(budget);
    const double error = std::abs(v.got[i] - v.exact[i]);
    if (std::isfinite(error)) largest_error = std::max(largest_error, error);
  }
  return largest_error;
}

/// Judges systematic deviations, which no single element shows.
void judge_systematic(const Values& v, const ElementRules& rules, double largest, Record& record) {
  if (std::abs(record.bias.z) > kSuspiciousBias) {
    record.status = Status::fail;
    record.reason = fmt::format("systematic error: mean deviation of {:+.1f} standard errors in {}", record.bias.z,
                                record.bias.where);
  }
  const int64_t unexplained = record.bit_equal.total - record.bit_equal.equal - record.bit_equal.near_ties;
  constexpr int64_t kFewest = 8;
  const bool many = unexplained >= kFewest && unexplained * kUnexplainedOneIn > record.bit_equal.total;
  const bool flips = many && ((rules.shares_rounding && few_rows_flipped(v, largest)) || few_columns_moved(v, largest));
  if (rules.claims_rounding && many && !flips) {
    record.status = Status::fail;
    record.reason = fmt::format("{} of {} elements differ from the oracle's bits without a near-tie of rounding",
                                unexplained, record.bit_equal.total);
  } else if (rules.claims_rounding && rounded_elsewhere(v, record.bit_equal)) {
    record.status = Status::fail;
    record.reason = fmt::format("{} of {} elements differ from the oracle's bits: the candidate rounds at other points",
                                record.bit_equal.total - record.bit_equal.equal, record.bit_equal.total);
  }
}

/// Judges the root mean square distance from the exact values. Fewer or moved roundings add at most one more rounding
/// of the size of the last: 1.4 times the oracle's distance. Small samples may exceed that by 5 standard errors. A
/// rounded sum or factor moves all channels of a head alike, where the oracle's roundings nearly cancel.
void judge_distance(const Values& v, const ElementRules& rules, Record& record) {
  const auto most = [](double samples) {
    constexpr double kStandardErrors = 5.0, kMoved = 0.1;  // a moved rounding may act on larger numbers
    return 1.0 + kMoved + kStandardErrors / std::sqrt(2.0 * std::max(samples, 1.0));
  };
  const auto judge = [&](double error, double samples, const char* how) {
    if (error <= most(samples) || record.status == Status::fail) return;
    record.status = Status::fail;
    record.reason = fmt::format(
        "the rms error is {:.2f} times the oracle's{}; a kernel that only rounds less often stays below {:.2f}", error,
        how, most(samples));
  };
  judge(record.noise.error, samples_of(v, rules.sharing > 0 ? rules.sharing : v.row), "");
  if (rules.sharing == 0) return;
  const Along along = along_exact(v, rules.sharing);
  judge(along.error, along.samples, ", after fitting one factor per head");
}

/// Returns whether the last node's own binary32 operations, on exact inputs, explain every element. The oracle may err
/// far less by chance, so its root mean square then says nothing about the candidate.
bool binary32_alone_explains(const Values& v) {
  for (int64_t i = 0; i < v.count; ++i) {
    if (same_class(v.got[i], v.exact[i])) continue;
    if (!(std::abs(v.got[i] - v.exact[i]) <= v.noise[i])) return false;
  }
  return true;
}

/// Judges the root mean square noise of a span: one element's tolerance allows for the largest drift, the mean need
/// not. In 1629 spans of correct bf16 recordings the ratio was at most 0.89, rows of 32 or more elements 1.55, the
/// median row 0.42. Longer spans (recordings of layer outputs only) reach 7.8, in a row of 17 elements.
void judge_noise(const Values& v, double most, Record& record) {
  constexpr int64_t kFewest = 64;  // elements
  constexpr int64_t kFewestRows = 16;
  constexpr int64_t kShortestRow = 32;
  constexpr double kMostRow = 8.0;  // one row may be noisier than the tap
  if (binary32_alone_explains(v)) return;
  const double most_median = 1.5 * most;
  const Noise& noise = record.noise;
  if (noise.elements >= kFewest && noise.ratio > most)
    record.reason = fmt::format("the rms error is {:.1f} times what roundings explain", noise.ratio);
  else if (v.row >= kShortestRow && noise.elements >= kFewest && noise.worst_row > kMostRow)
    record.reason = fmt::format(
        "the rms error of row {} (along the last axis; the first is row 0) is {:.1f} times what roundings explain",
        noise.row, noise.worst_row);
  else if (v.count / v.row >= kFewestRows && noise.median_row > most_median)
    record.reason = fmt::format("the rms error of half of the rows is at least {:.1f} times what roundings explain",
                                noise.median_row);
  if (!record.reason.empty()) record.status = Status::fail;
}

/// Judges elements that depend on an unrecorded choice. Single tokens may differ as much as unrelated values, but the
/// whole tap must be closer to the reference than zeros are.
void judge_undecided(const Values& v, const ElementRules& rules, Record& record) {
  if (record.undecided.deviating == 0) return;
  constexpr double kUnrelated = 1.5;
  constexpr double kMostly = 0.7;
  const double most = 2 * record.undecided.elements > v.count ? kMostly : kUnrelated;
  const double deviation = relative_deviation(v, rules.tainted);
  if (deviation < most) return;
  record.status = Status::fail;
  record.failed = record.undecided.deviating;
  record.reason = fmt::format(
      "the values depend on choices that are not recorded, but the error is {:.1f} times that of a tensor of zeros",
      deviation);
}

}  // namespace

double budget_of(const Values& v, const Tolerance& tolerance, int64_t i) {
  constexpr double kBroken = std::numeric_limits<double>::infinity();
  const double exact = v.exact[i];
  const double got = v.got[i];
  const double rounded = v.rounded[i];
  if (!std::isfinite(exact) || !std::isfinite(got))
    return same_class(got, exact) || same_class(got, rounded) ? 0.0 : kBroken;
  const double error = std::abs(got - exact);
  if (error == 0.0) return 0.0;
  const double allowed = tolerance.at(i);
  return std::isnan(allowed) || allowed == 0.0 ? kBroken : error / allowed;
}

void judge_elements(const Values& v, const ElementRules& rules, Record& record) {
  const Tolerance tolerance(v);
  FailureMap failures(record.axes, record.shape, rules.sizes);
  double largest_error = 0.0;
  // Each measure runs in one thread, in the order of the elements, so results do not depend on the number of threads.
  CaughtInParallel caught;
#pragma omp parallel sections if (v.count >= kWorthThreads)
  {
#pragma omp section
    caught.run([&] { largest_error = tally_elements(v, rules, tolerance, failures, record.undecided); });
#pragma omp section
    caught.run([&] { record.bit_equal = count_bits(v, tolerance.largest()); });
#pragma omp section
    caught.run([&] { record.bias = fit_bias(v); });
#pragma omp section
    caught.run([&] { record.noise = noise_of(v, rules.tainted); });
  }
  caught.rethrow();
  record.elements = v.count;
  record.failed = failures.failed();
  record.budget_used = failures.worst_budget();
  record.relative_error = tolerance.largest() == 0.0 ? 0.0 : largest_error / tolerance.largest();
  record.inherited = v.inherited ? tolerance.relative_drift() : 0.0;
  if (v.count > 0) fill_worst(v, tolerance, failures.worst(), record);
  if (rules.logits) record.logits = compare_logits(v);
  record.slices = failures.slices();
  if (record.failed > 0) {
    record.status = Status::fail;
    const Region region = failures.region();
    record.where = region.text();
    record.region = region.parts;
    return;
  }
  judge_undecided(v, rules, record);
  if (rules.most_noise > 0.0) judge_noise(v, rules.most_noise, record);
  if (rules.no_farther) judge_distance(v, rules, record);
  if (rules.systematic && rules.tainted.empty() && !v.inherited)
    judge_systematic(v, rules, tolerance.largest(), record);
  if (record.status == Status::pass && rules.check_power && !rules.bit_by_bit) judge_power(v, tolerance, rules, record);
}

}  // namespace parity::compare
