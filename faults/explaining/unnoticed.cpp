// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/explaining/unnoticed.hpp"

#include <algorithm>
#include <map>

#include <fmt/ranges.h>

#include "faults/catalogue.hpp"
#include "faults/explaining/reading.hpp"

namespace parity::faults {
namespace {

using compare::Record;
using compare::Status;

using Records = std::map<std::string, const Record*>;

Records green_of(const compare::GoldenReport& report) {
  Records green;
  for (const Record& record : report.records) {
    // A choice is judged against the scores it was made from, with no tolerance of the candidate.
    if (record.mode != compare::Mode::isolated || record.discrete) continue;
    if (record.status == Status::pass) green.emplace(record.tap, &record);
  }
  return green;
}

std::vector<replay::Span> touched_spans(const Reading& reading, const Fault& fault) {
  std::vector<replay::Span> spans;
  for (const replay::Span& span : reading.spans()) {
    if (reading.touches(fault, span)) spans.push_back(span);
  }
  return spans;
}

/// Whether the reference's values with the fault are equal to the last bit.
bool same(const Record& with, const Record& without) {
  return with.status == without.status && with.relative_error == without.relative_error &&
         with.bit_equal.equal == without.bit_equal.equal;
}

enum class Seen { not_judged, nothing_changes, noticed, unnoticed };

/// Judges with `fault` at every node that could have it.
Seen seen(const Reading& reading, const Fault& fault, const Records& green) {
  Seen result = Seen::not_judged;
  for (const Record& record : reading.judge(touched_spans(reading, fault))) {
    const auto without = green.find(record.tap);
    if (without == green.end()) continue;
    if (record.status == Status::fail) return Seen::noticed;
    if (!same(record, *without->second)) result = Seen::unnoticed;
    if (result == Seen::not_judged) result = Seen::nothing_changes;
  }
  return result;
}

}  // namespace

Unnoticed unnoticed_faults(const golden::Golden& golden, const compare::RunOptions& options,
                           const compare::GoldenReport& report) {
  compare::RunOptions isolated = options;
  isolated.mode = compare::Mode::isolated;
  isolated.progress = nullptr;
  isolated.observe = nullptr;
  isolated.hypothesis = nullptr;
  const compare::OpenedRun opened(golden, isolated);
  const auto base = std::make_shared<const Base>(opened, std::string());
  const Records green = green_of(report);
  Unnoticed result;
  for (const Fault& fault : catalogue()) {
    const bool met = std::any_of(base->plan.nodes.begin(), base->plan.nodes.end(),
                                 [&](const Node& node) { return concerns(fault, base->plan, node); });
    if (!met || !fault.equivalent.empty()) continue;
    try {
      const Seen what = seen(Reading(opened, base, {fault}), fault, green);
      result.tried += what == Seen::not_judged ? 0 : 1;
      if (what == Seen::unnoticed) result.faults.push_back(fault.id);
      if (what == Seen::nothing_changes) result.no_effect.push_back(fault.id);
    } catch (const Error&) {  // the model does not allow the edit
      continue;
    }
  }
  return result;
}

std::string text_of(const Unnoticed& unnoticed) {
  std::string text = fmt::format("{} of {} faults of the catalogue would not have been noticed",
                                 unnoticed.faults.size(), unnoticed.tried);
  if (!unnoticed.faults.empty()) text += fmt::format(": {}", fmt::join(unnoticed.faults, ", "));
  if (!unnoticed.no_effect.empty())
    text += fmt::format("; {} change no value in this golden: {}", unnoticed.no_effect.size(),
                        fmt::join(unnoticed.no_effect, ", "));
  return text;
}

}  // namespace parity::faults
