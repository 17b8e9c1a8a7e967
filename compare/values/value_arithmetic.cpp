// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Finds wrong values that are the expected ones times a number, or plus one. Each element allows an interval of
// numbers, and the claimed number must be in (nearly) all of them.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "compare/values/value_intervals.hpp"
#include "compare/values/value_view.hpp"

namespace parity::compare {
namespace {

/// Returns a sample of the wrong elements. A number is fitted to the sample and then tested on all.
std::vector<int64_t> sample_of(const ValueView& view) {
  constexpr size_t kSample = 4096;
  const auto& wrong = view.wrong();
  const size_t step = std::max<size_t>(1, wrong.size() / kSample);
  std::vector<int64_t> result;
  for (size_t i = 0; i < wrong.size(); i += step) result.push_back(wrong[i]);
  return result;
}

std::optional<Interval> offsets_of(const ValueView& view, int64_t i) {
  const double expected = view.expected(i), got = view.got(i);
  if (!std::isfinite(expected) || !std::isfinite(got)) return std::nullopt;
  const double reach = view.slack(i) + view.last_rounding(got);
  return Interval{got - expected - reach, got - expected + reach};
}

struct Named {
  double number = 0.0;
  std::string text;  // empty: the number has no name
};

/// Returns numbers that occur in formulas, simplest first: powers of two, then sizes, their roots and inverses.
std::vector<Named> known_factors(const ValueView& view) {
  constexpr int kPowers = 16;
  std::vector<Named> result;
  for (int power = 1; power <= kPowers; ++power) {
    result.push_back({std::exp2(power), fmt::format("{}", int64_t{1} << power)});
    result.push_back({std::exp2(-power), fmt::format("1/{}", int64_t{1} << power)});
  }
  std::set<int64_t> sizes(view.query().shape.begin(), view.query().shape.end());
  for (const auto& [letter, size] : view.query().sizes) sizes.insert(size);
  for (const int64_t size : sizes) {
    if (size < 2) continue;
    const auto n = static_cast<double>(size);
    result.push_back({n, fmt::format("{}", size)});
    result.push_back({1.0 / n, fmt::format("1/{}", size)});
    result.push_back({std::sqrt(n), fmt::format("sqrt({})", size)});
    result.push_back({1.0 / std::sqrt(n), fmt::format("1/sqrt({})", size)});
  }
  return result;
}

Named factor_in(const ValueView& view, const Interval& interval) {
  for (const Named& known : known_factors(view)) {
    if (interval.low <= known.number && known.number <= interval.high) return known;
    if (interval.low <= -known.number && -known.number <= interval.high) return {-known.number, "-" + known.text};
  }
  return {0.5 * (interval.low + interval.high), {}};
}

/// Returns the decimal with the fewest digits in the interval.
double roundest(const Interval& interval) {
  for (int digits = 0; digits <= 17; ++digits) {
    const double middle = 0.5 * (interval.low + interval.high);
    const double unit = std::pow(10.0, std::floor(std::log10(std::abs(middle))) - digits);
    const double number = std::round(middle / unit) * unit;
    if (number != 0.0 && interval.low <= number && number <= interval.high) return number;
  }
  return 0.5 * (interval.low + interval.high);
}

/// A claim with its mean miss, in units of the allowed miss.
struct Fit {
  Claim claim;
  double miss = 0.0;
  bool named = false;
};

template <class Predict>
Fit fitted(const ValueView& view, ValueKind kind, double factor, const Predict& predict) {
  Fit fit;
  std::vector<int64_t> holds;
  for (const int64_t i : view.wrong()) {
    const double predicted = predict(view.expected(i));
    const double reach = std::abs(factor) * view.slack(i) + view.last_rounding(view.got(i));
    const double miss = std::abs(view.got(i) - predicted);
    if (!(miss <= reach)) continue;
    holds.push_back(i);
    fit.miss += reach > 0.0 ? (miss / reach) * (miss / reach) : 0.0;
  }
  fit.claim = {kind, view.axis(), {}, static_cast<int64_t>(holds.size()), view.surprise_of(holds)};
  if (!holds.empty()) fit.miss /= static_cast<double>(holds.size());
  return fit;
}

std::optional<Fit> scaled(const ValueView& view, const std::vector<int64_t>& sample) {
  constexpr double kBitsOfAName = 7.0;  // about a hundred numbers have a name
  std::vector<Interval> intervals;
  for (const int64_t i : sample) {
    if (const auto interval = factors_of(view, i)) intervals.push_back(*interval);
  }
  if (intervals.empty()) return std::nullopt;
  const Interval interval = commonest(intervals);
  Named factor = factor_in(view, interval);
  const auto within = [&](double number) { return interval.low <= number && number <= interval.high; };
  if (within(0.0) || within(1.0) || within(-1.0) || !std::isfinite(factor.number)) return std::nullopt;  // named
  constexpr double kRoundings = 8.0;  // roundings by which values near 1 or -1 times the expected one may differ
  if (std::abs(std::abs(factor.number) - 1.0) <= kRoundings * unit_roundoff(view.query().dtype)) return std::nullopt;
  const bool named = !factor.text.empty();
  if (!named) factor.number = roundest(interval);
  Fit fit = fitted(view, ValueKind::scaled, factor.number, [&](double expected) { return factor.number * expected; });
  fit.named = named;
  fit.claim.evidence -= named ? kBitsOfAName : view.bits_of_a_number();
  fit.claim.detail =
      fmt::format("{} times {}", view.place(), named ? factor.text : fmt::format("{:.6g}", factor.number));
  return fit;
}

/// Whether `offset` is only a few roundings of most wrong elements.
bool is_of_roundings(const ValueView& view, const std::vector<int64_t>& sample, double offset) {
  constexpr double kRoundings = 8.0;
  const auto small = [&](int64_t i) { return std::abs(offset) <= kRoundings * view.last_rounding(view.expected(i)); };
  return is_float(view.query().dtype) && 2 * std::count_if(sample.begin(), sample.end(), small) > std::ssize(sample);
}

std::optional<Fit> shifted_by(const ValueView& view, const std::vector<int64_t>& sample) {
  std::vector<Interval> intervals;
  for (const int64_t i : sample) {
    if (const auto interval = offsets_of(view, i)) intervals.push_back(*interval);
  }
  if (intervals.empty()) return std::nullopt;
  const Interval interval = commonest(intervals);
  const double offset = roundest(interval);
  if (offset == 0.0 || !std::isfinite(offset) || is_of_roundings(view, sample, offset)) return std::nullopt;
  Fit fit = fitted(view, ValueKind::offset, 1.0, [&](double expected) { return expected + offset; });
  fit.claim.evidence -= view.bits_of_a_number();
  fit.claim.detail = fmt::format("{} plus {:.6g}", view.place(), offset);
  return fit;
}

}  // namespace

std::vector<Claim> claims_of_arithmetic(const ValueView& view) {
  const auto sample = sample_of(view);
  const auto factor = is_float(view.query().dtype) ? scaled(view, sample) : std::nullopt;
  constexpr size_t kIds = 3;
  const bool any = is_float(view.query().dtype) || view.expects_several(kIds);
  const auto offset = any ? shifted_by(view, sample) : std::nullopt;
  if (!factor || !offset) {
    if (factor) return {factor->claim};
    return offset ? std::vector{offset->claim} : std::vector<Claim>{};
  }
  const auto nearly = [&](const Fit& fit) {
    return static_cast<double>(fit.claim.explained) >= kNearlyAll * static_cast<double>(view.wrongs());
  };
  if (!nearly(*factor) || !nearly(*offset)) return {factor->claim, offset->claim};
  // Values that hardly vary fit both a factor and an offset. One of them must be clearly nearer, or be a named number.
  constexpr double kClearly = 4.0;
  if (factor->miss * kClearly <= offset->miss) return {factor->claim};
  if (offset->miss * kClearly <= factor->miss) return {offset->claim};
  return factor->named ? std::vector{factor->claim} : std::vector<Claim>{};
}

}  // namespace parity::compare
