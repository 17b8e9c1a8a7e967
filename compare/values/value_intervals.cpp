// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/values/value_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace parity::compare {

Interval commonest(const std::vector<Interval>& intervals) {
  std::vector<std::pair<double, int>> ends;
  for (const Interval& i : intervals) {
    ends.emplace_back(i.low, -1);  // a stretch may be a single number, so starts sort before ends
    ends.emplace_back(i.high, 1);
  }
  std::sort(ends.begin(), ends.end());
  Interval best{0.0, 0.0};
  int open = 0, most = 0;
  for (size_t e = 0; e < ends.size(); ++e) {
    open -= ends[e].second;
    if (open <= most || e + 1 == ends.size()) continue;
    most = open;
    best = {ends[e].first, ends[e + 1].first};
  }
  return best;
}

std::optional<Interval> factors_of(const ValueView& view, int64_t i) {
  const double expected = std::abs(view.expected(i)), got = std::abs(view.got(i)), slack = view.slack(i);
  if (!std::isfinite(expected) || !std::isfinite(got) || expected <= 2.0 * slack || expected == 0.0)
    return std::nullopt;
  const double last = view.last_rounding(got);
  const double low = std::max(0.0, got - last) / (expected + slack), high = (got + last) / (expected - slack);
  const bool same = std::signbit(view.expected(i)) == std::signbit(view.got(i));
  return same ? Interval{low, high} : Interval{-high, -low};
}

}  // namespace parity::compare
