// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/planting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compare/bits.hpp"
#include "compare/elements.hpp"
#include "compare/golden_run.hpp"
#include "faults/altered_golden.hpp"
#include "faults/candidate.hpp"

namespace parity::faults {
namespace {

compare::GoldenReport judged(const Fixture& fixture, const Candidate& candidate, const compare::Observer& observe) {
  const AlteredGolden altered(fixture.golden(), candidate.datasets);
  compare::RunOptions options;
  options.mode = compare::Mode::isolated;  // first_divergence is about golden inputs
  options.candidate = compare::RunOptions::Candidate::capture;
  options.capture = altered.path() / "activations.h5";
  options.known_origin = true;
  options.observe = observe;
  return compare::run_golden(fixture.golden(), options);
}

/// Judged taps between the named one and the nearest that the fault changes.
std::optional<int64_t> distance_to(const std::vector<compare::Record>& records, const std::string& named,
                                   const std::set<std::string>& changed) {
  const auto at = std::find_if(records.begin(), records.end(), [&](const auto& r) { return r.tap == named; });
  if (at == records.end()) return std::nullopt;
  std::optional<int64_t> nearest;
  for (auto record = records.begin(); record != records.end(); ++record) {
    if (!changed.contains(record->tap)) continue;
    const int64_t distance = at - record;
    if (!nearest || std::abs(distance) < std::abs(*nearest)) nearest = distance;
  }
  return nearest;
}

void fill(const compare::GoldenReport& report, const std::set<std::string>& changed, Planting& planting) {
  planting.verdict = report.verdict;
  for (const compare::Record& record : report.records) {
    if (!changed.contains(record.tap)) continue;
    ++planting.changed;
    planting.signal = std::max(planting.signal, signal_of(record));
    planting.effect = std::max(planting.effect, record.relative_error);
  }
  if (!report.first_divergence) return;
  planting.named = report.first_divergence->tap;
  planting.named_component = report.first_divergence->component;
  planting.distance = distance_to(report.records, planting.named, changed);
  for (const compare::Record& record : report.records) {
    if (record.tap == planting.named) planting.reason = record.reason.empty() ? record.where : record.reason;
  }
}

}  // namespace

double signal_of(const compare::Record& record) {
  if (record.status == compare::Status::error) return std::numeric_limits<double>::infinity();
  if (record.status != compare::Status::fail) return std::min(record.budget_used, 1.0);
  if (record.discrete) return std::numeric_limits<double>::infinity();
  const auto& bits = record.bit_equal;
  const auto total = static_cast<double>(std::max<int64_t>(bits.total, 1));
  const double unexplained = static_cast<double>(bits.total - bits.equal - bits.near_ties) / total;
  return std::max({record.budget_used, std::abs(record.bias.z) / compare::kSuspiciousBias,
                   unexplained * compare::kUnexplainedOneIn, (1.0 - bits.share()) * compare::kElsewhereOneIn, 1.0});
}

namespace {

void plant_and_judge(const Edited& edited, const Fixture& fixture, const compare::Observer& observe,
                     Planting& planting) {
  planting.places = static_cast<int64_t>(edited.places.size());
  const Candidate candidate = candidate_of(edited, fixture.plan(), fixture.golden().parameters(), fixture.recording());
  const bool shows = std::any_of(candidate.changed.begin(), candidate.changed.end(),
                                 [&](const std::string& tap) { return fixture.recording().has(tap); });
  if (shows) fill(judged(fixture, candidate, observe), candidate.changed, planting);
}

}  // namespace

Planting plant(const Fault& fault, const Fixture& fixture, const compare::Observer& observe) {
  Planting planting;
  planting.fault = fault.id;
  planting.component = fault.component;
  planting.fixture = fixture.golden().folder().string();
  try {
    const auto edited = applied(fault, fixture.plan());
    if (edited) plant_and_judge(*edited, fixture, observe, planting);
  } catch (const std::exception& error) {
    planting.places = std::max<int64_t>(planting.places, 1);
    planting.defect = error.what();
  }
  return planting;
}

compare::GoldenReport judge_faultless(const Fixture& fixture, const compare::Observer& observe) {
  const Candidate candidate =
      candidate_of(unedited(fixture.plan()), fixture.plan(), fixture.golden().parameters(), fixture.recording());
  return judged(fixture, candidate, observe);
}

}  // namespace parity::faults
