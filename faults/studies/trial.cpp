// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/studies/trial.hpp"

#include <algorithm>
#include <limits>

#include "compare/goldens/golden_run.hpp"
#include "faults/explaining/explain.hpp"

namespace parity::faults {
namespace {

struct Judged {
  compare::GoldenReport report;
  std::optional<Explanation> explanation;
};

compare::RunOptions isolated() {
  compare::RunOptions options;
  options.mode = compare::Mode::isolated;  // first_divergence is about golden inputs
  return options;
}

/// Judges the fixture with these values. If `explained`, searches for a known fault as the cause.
Judged judged(const Fixture& fixture, const std::map<std::string, Tensor>& values, bool explained) {
  compare::RunOptions options = isolated();
  options.changed = values;
  Judged result{compare::run_golden(fixture.golden(), options), {}};
  if (!explained || !result.report.first_divergence) return result;
  const auto found = explain(fixture.golden(), options, result.report);
  if (!found.empty()) result.explanation = found.front();
  return result;
}

/// Whether the damage equals the fault on the tap: the damaged tap has as many bits of the faulty reference, and is
/// nowhere further from it, than the undamaged tap has of and is from the right reference.
bool same_as(const Explanation& explanation, const Fixture& fixture, const std::string& tap) {
  compare::RunOptions options = isolated();
  options.select = tap;
  const auto report = compare::run_golden(fixture.golden(), options);
  if (report.records.empty()) return false;
  const compare::Record& undamaged = report.records.front();
  return explanation.bit_equal >= undamaged.bit_equal.share() && explanation.residual <= undamaged.budget_used;
}

std::optional<int64_t> position_of(const std::vector<compare::Record>& records, const std::string& tap) {
  const auto found =
      std::find_if(records.begin(), records.end(), [&](const compare::Record& r) { return r.tap == tap; });
  if (found == records.end()) return std::nullopt;
  return found - records.begin();
}

void fill(const Judged& found, const Fixture& fixture, Trial& trial) {
  const compare::GoldenReport& report = found.report;
  trial.verdict = report.verdict;
  const auto damaged = position_of(report.records, trial.corruption.tap);
  if (damaged) {
    const compare::Record& record = report.records[static_cast<size_t>(*damaged)];
    trial.signal = record.budget_used;
    trial.reason = record.reason.empty() ? record.where : record.reason;
  }
  if (!report.first_divergence) return;
  trial.named = report.first_divergence->tap;
  if (found.explanation)
    (same_as(*found.explanation, fixture, trial.named) ? trial.is_fault : trial.explained_by) =
        found.explanation->faults.front().id;
  trial.named_component = report.first_divergence->component;
  const auto named = position_of(report.records, trial.named);
  if (damaged && named) trial.distance = *named - *damaged;
}

}  // namespace

Trial run_trial(const Fixture& fixture, const Target& target, const CorruptionKind& kind, uint64_t seed,
                bool explained) {
  Trial trial;
  trial.corruption = {fixture.golden().folder().string(), target.tap, kind.name, seed};
  trial.component = target.component;
  Draws draws(seed);
  const Material material = fixture.material(target, kind.needs, draws);
  const Tensor values = corrupted(kind, target, material, draws);
  trial.effect = effect_of(material.recorded, values);
  if (trial.effect.changed == 0) return trial;
  try {
    fill(judged(fixture, {{target.tap, values}}, explained), fixture, trial);
  } catch (const Error& error) {  // the whole recording is refused: noticed, but no tap is named
    trial.verdict = compare::Status::error;
    trial.signal = std::numeric_limits<double>::infinity();
    trial.reason = error.what();
  }
  return trial;
}

compare::GoldenReport judge_undamaged(const Fixture& fixture) { return judged(fixture, {}, false).report; }

}  // namespace parity::faults
