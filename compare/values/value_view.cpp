// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/values/value_view.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parity::compare {

ValueView::ValueView(const ValueQuery& query, Closeness closeness)
    : query_(query),
      closeness_(closeness),
      expected_(static_cast<size_t>(query.count)),
      marked_(static_cast<size_t>(query.count), false),
      groupings_(groupings_of(query.axes, query.shape, query.sizes)) {
  for (int64_t i = 0; i < query.count; ++i) {
    const double bits = is_float(query.dtype) ? round_to(query.dtype, query.rounded[i]) : query.rounded[i];
    expected_[static_cast<size_t>(i)] = by_bits() ? bits : query.exact[i];
    if (std::isfinite(expected(i))) {
      sorted_.push_back(expected(i));
      largest_ = std::max(largest_, std::abs(expected(i)));
    }
  }
  std::sort(sorted_.begin(), sorted_.end());
  for (int64_t i = 0; i < query.count; ++i) {
    if (is_expected(got(i), i)) continue;
    marked_[static_cast<size_t>(i)] = true;
    wrong_.push_back(i);
  }
  region_ = region_of(groupings_, marked_);
}

double ValueView::slack(int64_t j) const {
  if (by_bits()) return 0.0;
  const double allowed = query_.allowed[j];
  return allowed > 0.0 ? allowed : 0.0;
}

bool ValueView::is_expected(double number, int64_t j) const {
  const double expected = expected_[static_cast<size_t>(j)];
  if (number == expected || (std::isnan(number) && std::isnan(expected))) return true;
  if (by_bits()) return false;
  const double rounded = query_.rounded[j];
  if (!std::isfinite(expected) || !std::isfinite(number))
    return number == rounded || (std::isnan(number) && std::isnan(rounded));
  return std::abs(number - expected) <= slack(j);
}

bool ValueView::expects_several(size_t least) const {
  std::set<double> numbers;
  for (const int64_t i : wrong_) {
    numbers.insert(expected(i));
    if (numbers.size() >= least) return true;
  }
  return false;
}

double ValueView::last_rounding(double x) const {
  if (!is_float(query_.dtype)) return 0.0;
  const double smallest = smallest_normal(query_.dtype);
  return unit_roundoff(query_.dtype) * std::max(std::abs(x), smallest);
}

double ValueView::bits_of_a_number() const {
  constexpr double kMost = 20.0;  // bits; a tap of binary32 rarely has more distinct numbers
  if (!is_float(query_.dtype)) return sorted_.empty() ? 0.0 : std::log2(sorted_.back() - sorted_.front() + 1.0);
  return std::min<double>(kMost, format_of(query_.dtype).significand_bits);
}

double ValueView::surprise(double number, double slack) const {
  if (sorted_.empty() || std::isnan(number)) return 0.0;
  const auto first = std::lower_bound(sorted_.begin(), sorted_.end(), number - slack);
  const auto last = std::upper_bound(sorted_.begin(), sorted_.end(), number + slack);
  const auto others =
      static_cast<double>(std::max<int64_t>(last - first - 1, 0));  // the expected element itself is not counted
  const double spread = sorted_.back() - sorted_.front();
  const double width = spread > 0.0 ? 2.0 * slack / spread : std::abs(number) > 0.0 ? slack / std::abs(number) : 0.0;
  const double chance = std::max({others / static_cast<double>(sorted_.size()), width, std::exp2(-bits_of_a_number())});
  return std::max(0.0, -std::log2(chance));
}

double ValueView::surprise_of(const std::vector<int64_t>& sources) const {
  constexpr size_t kAsked = 2048;
  const size_t step = std::max<size_t>(1, sources.size() / kAsked);
  double total = 0.0;
  for (size_t i = 0; i < sources.size(); i += step) total += surprise(expected(sources[i]), slack(sources[i]));
  return total;
}

std::string ValueView::place(const std::string& except) const {
  std::vector<std::string> named;
  bool more = false;
  for (const Positions& part : region_.parts) {
    if (!part.telling()) continue;
    more = true;
    if (except.empty() || part.letter != except) named.push_back(part.text());
  }
  if (!named.empty()) {
    const bool whole =
        2 * region_.failed >= region_.size();  // the others are equal by chance, or within their tolerance
    const std::string parts = fmt::format("{}", fmt::join(named, ", "));
    return whole ? parts : fmt::format("{} elements in {}", region_.failed, parts);
  }
  if (more || 2 * region_.failed >= region_.elements) return except.empty() ? "every element" : "";
  return except.empty() ? fmt::format("{} of {} elements", region_.failed, region_.elements) : "";
}

std::string ValueView::axis() const {
  std::string result;
  for (size_t i = 0; i < region_.parts.size(); ++i) {
    const Positions& part = region_.parts[i];
    if (!part.telling()) continue;
    const bool last = i + 1 == region_.parts.size();  // within a slice, whose position says more
    if (result.empty() || !last) result = part.letter;
  }
  return result;
}

}  // namespace parity::compare
