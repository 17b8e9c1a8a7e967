// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Finds rows that are the expected ones, each times its own factor. A wrong sum, mean or scale of a row looks like this.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compare/values/value_intervals.hpp"
#include "compare/values/value_view.hpp"

namespace parity::compare {
namespace {

/// A row of the tap with the factor that explains the most of its wrong elements.
struct ScaledRow {
  Interval factor;
  int64_t explained = 0, contradicted = 0;  // wrong elements that it explains; right ones that it would have changed
  double evidence = 0.0;                    // bits
};

bool is_product(const ValueView& view, double factor, int64_t i) {
  if (!std::isfinite(view.expected(i))) return !view.is_wrong(i);  // no factor changes an infinity
  const double reach = std::abs(factor) * view.slack(i) + view.last_rounding(view.got(i));
  return std::abs(view.got(i) - factor * view.expected(i)) <= reach;
}

/// Whether two factors differ by more than some roundings, because roundings may change all values of a row alike.
bool are_apart(const ValueView& view, double a, double b) {
  constexpr double kRoundings = 8.0;
  return std::abs(a - b) > kRoundings * unit_roundoff(view.query().dtype) * std::max(std::abs(a), std::abs(b));
}

/// Returns the bits by which these elements would hardly have one factor by chance, if each had a factor of its own
/// that is as far from 1. One element is spent on the factor. Values that are nearly equal would fit a sum as well.
double evidence_of_row(const ValueView& view, const std::vector<std::pair<int64_t, Interval>>& held, double factor) {
  constexpr double kVaries = 1.5;
  double total = 0.0, most = 0.0, least = INFINITY, greatest = 0.0;
  for (const auto& [i, interval] : held) {
    const double width = 0.5 * (interval.high - interval.low);
    const double bits = width > 0.0 ? std::log2(std::abs(factor - 1.0) / width) : view.bits_of_a_number();
    const double counted = std::clamp(bits, 0.0, view.bits_of_a_number());
    total += counted;
    most = std::max(most, counted);
    least = std::min(least, std::abs(view.expected(i)));
    greatest = std::max(greatest, std::abs(view.expected(i)));
  }
  return greatest >= kVaries * least ? total - most : 0.0;
}

ScaledRow fitted_row(const ValueView& view, int64_t first, int64_t length) {
  std::vector<std::pair<int64_t, Interval>> known;
  std::vector<Interval> intervals;
  for (int64_t i = first; i < first + length; ++i) {
    const auto interval = view.is_wrong(i) ? factors_of(view, i) : std::nullopt;
    if (!interval) continue;
    known.emplace_back(i, *interval);
    intervals.push_back(*interval);
  }
  ScaledRow row;
  if (known.empty()) return row;
  row.factor = commonest(intervals);
  const double factor = row.factor.middle();
  std::erase_if(known, [&](const auto& one) { return !is_product(view, factor, one.first); });
  row.explained = std::ssize(known);
  for (int64_t i = first; i < first + length; ++i)
    row.contradicted += !view.is_wrong(i) && !is_product(view, factor, i) ? 1 : 0;
  if (are_apart(view, factor, 1.0)) row.evidence = evidence_of_row(view, known, factor);
  return row;
}

/// Writes both factors with as many digits as tell them apart, and from 1.
std::string range_text(double low, double high) {
  constexpr int kFewest = 3, kMost = 9;
  for (int digits = kFewest; digits < kMost; ++digits) {
    const std::string from = fmt::format("{:.{}g}", low, digits), to = fmt::format("{:.{}g}", high, digits);
    if (from != to && from != "1" && to != "1") return from + ".." + to;
  }
  return fmt::format("{:.{}g}..{:.{}g}", low, kMost, high, kMost);
}

std::optional<Claim> claim_of_rows(const ValueView& view, const Grouping& grouping) {
  const int64_t length = grouping.extents.back();
  Claim claim{ValueKind::scaled_rows, grouping.letters.back(), {}, 0, 0.0};
  int64_t contradicted = 0;
  std::optional<Interval> lowest, highest;
  for (int64_t first = 0; first < view.query().count; first += length) {
    const ScaledRow row = fitted_row(view, first, length);
    claim.explained += row.explained;
    if (row.evidence <= 0.0) continue;
    claim.evidence += row.evidence;
    contradicted += row.contradicted;
    if (!lowest || row.factor.high < lowest->high) lowest = row.factor;
    if (!highest || row.factor.low > highest->low) highest = row.factor;
  }
  const double most = (1.0 - kNearlyAll) * static_cast<double>(view.wrongs());
  if (!lowest || lowest->high >= highest->low || !are_apart(view, lowest->high, highest->low)) return std::nullopt;
  if (static_cast<double>(contradicted) > most) return std::nullopt;
  const std::string place = view.place();
  claim.detail = fmt::format("{}each row of {} is multiplied by its own factor, {} (a sum or scale per row is wrong)",
                             place == "every element" ? "" : place + ": ", claim.axis,
                             range_text(lowest->middle(), highest->middle()));
  return claim;
}

}  // namespace

std::vector<Claim> claims_of_rows(const ValueView& view) {
  std::vector<Claim> claims;
  if (!is_float(view.query().dtype)) return claims;
  for (const Grouping& grouping : view.groupings()) {
    const bool rows = grouping.listing && grouping.extents.size() > 1 && grouping.extents.back() > 1;
    if (!rows) continue;
    if (auto claim = claim_of_rows(view, grouping)) claims.push_back(std::move(*claim));
  }
  return claims;
}

}  // namespace parity::compare
