// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/judging/accepted.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.hpp"
#include "golden/sources/declaration.hpp"

namespace parity::compare {
namespace {

bool covers(const Accepted& entry, const Record& record, const std::set<std::string>& right) {
  if (!glob_match(entry.tap, record.tap)) return false;
  return entry.fault.empty() ? record.budget_used <= entry.factor : right.contains(record.tap);
}

/// Whether an entry may accept `record`: it is open and its values were judged, so it fails, or passes with a deviation
/// where bits are required. The error of a record without judged values is unknown.
bool is_acceptable(const Record& record, Policy policy) {
  return is_open(record, policy) && (record.status == Status::fail || record.status == Status::pass);
}

}  // namespace

bool is_open(const Record& record, Policy policy) {
  if (!record.accepted.empty()) return false;
  const bool red =
      record.status == Status::fail || record.status == Status::mistrusted || record.status == Status::error;
  return red || (record.deviation && policy == Policy::bits);
}

void accept(const std::vector<Accepted>& list, const RightUnder& right_under, GoldenReport& report) {
  for (const Accepted& entry : list) {
    const std::set<std::string> right = entry.fault.empty() ? std::set<std::string>{} : right_under(entry.fault);
    int64_t used = 0, not_shown = 0;
    for (Record& record : report.records) {
      if (!is_open(record, report.policy) || !covers(entry, record, right)) continue;
      if (!is_acceptable(record, report.policy)) {
        ++not_shown;
        continue;
      }
      record.accepted = fmt::format("{} ({})", entry.reason, entry.date);
      ++used;
    }
    if (not_shown > 0)
      report.notes.push_back(
          fmt::format("the --accept entry for {} does not cover {} taps that were not judged (reason given: {})",
                      entry.tap, not_shown, entry.reason));
    if (used + not_shown == 0)
      report.notes.push_back(
          fmt::format("the --accept entry for {} is not needed, because no such tap deviates (reason given: {})",
                      entry.tap, entry.reason));
  }
}

std::vector<Accepted> proposals(const GoldenReport& report) {
  constexpr double kMost = 100.0;   // a proposed factor above this limit would state nothing
  constexpr double kWhole = 0.999;  // least share of the failing taps that a proposed fault explains
  std::vector<Accepted> faults, factors;
  double explained = 0.0;
  for (const Cause& cause : report.causes) {
    if (cause.what != "fault") continue;
    explained += cause.explains;
    faults.push_back({"*", cause.value, 0.0, "", ""});  // covers only taps that are right under the fault
  }
  if (explained >= kWhole) return faults;
  std::map<std::string, double> worst;
  for (const Record& record : report.records) {
    if (!is_acceptable(record, report.policy) || !std::isfinite(record.budget_used)) continue;
    double& factor = worst[golden::tap_of_every_place(record.tap)];
    factor = std::max(factor, record.budget_used);
  }
  for (const auto& [tap, factor] : worst) {
    if (factor <= kMost) factors.push_back({tap, "", std::ceil(10.0 * factor) / 10.0, "", ""});
  }
  return factors;
}

}  // namespace parity::compare
