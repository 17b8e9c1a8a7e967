// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/studies/judges.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "cases/parallel.hpp"
#include "compare/goldens/golden_run.hpp"
#include "compare/judging/elements.hpp"
#include "core/text.hpp"
#include "faults/catalogue.hpp"

namespace parity::faults {
namespace {

constexpr size_t kOurs = 0;  // row of our judge

/// The verdicts of all judges on the taps of one walk.
class Ballot {
 public:
  Ballot() : refused(compare::other_judges().size() + 1), rerounded(refused.size()) {}

  [[nodiscard]] compare::Observer observer(bool with_rerounded) {
    return [this, with_rerounded](const replay::Finding& finding, const compare::Values* values) {
      if (values == nullptr) {
        if (!same_ids(finding)) other_ids.insert(finding.tap);
        return;
      }
      ++taps;
      vote(*values, [&](size_t judge) { refused[judge].insert(finding.tap); });
      if (with_rerounded) vote_rerounded(finding, *values);
    };
  }

  /// Whether the judge refuses a tap here that it does not refuse in `other`.
  [[nodiscard]] bool refuses_more(const Ballot& other, size_t judge) const {
    const auto& known = other.refused[judge];
    return std::any_of(refused[judge].begin(), refused[judge].end(),
                       [&](const std::string& tap) { return !known.contains(tap); });
  }

  int64_t taps = 0;
  std::vector<std::set<std::string>> refused;  // refused taps by row; our judge's are in the report
  std::vector<int64_t> rerounded;              // refused taps by row, when judging exact values rounded once
  std::set<std::string> other_ids;             // taps with other ids

 private:
  static void vote(const compare::Values& values, const std::function<void(size_t)>& refuse) {
    const auto& judges = compare::other_judges();
    for (size_t j = 0; j < judges.size(); ++j) {
      if (!judges[j].accepts(values)) refuse(j + 1);
    }
  }

  /// Whether the ids are equal as sets. The order of experts or blocks with equal scores is free.
  static bool same_ids(const replay::Finding& finding) {
    const Tensor got = widen(finding.recorded);
    const Tensor& reference = finding.outcome->outputs.at(finding.field).rounded;
    const auto output = static_cast<size_t>(finding.outcome->definition->output_index(finding.field));
    const bool sets = is_discrete(finding.outcome->definition->outputs[output].judge);
    const int64_t count = got.view().count();
    if (reference.dtype() != DType::i64 || reference.view().count() != count) return false;
    const int64_t row = sets && !got.shape().empty() ? std::max<int64_t>(got.shape().back(), 1) : 1;
    for (int64_t first = 0; first < count; first += row) {
      std::vector<int64_t> mine(got.i64() + first, got.i64() + first + row);
      std::vector<int64_t> theirs(reference.i64() + first, reference.i64() + first + row);
      std::sort(mine.begin(), mine.end());
      std::sort(theirs.begin(), theirs.end());
      if (mine != theirs) return false;
    }
    return true;
  }

  /// Judges the exact values rounded once. Skips taps whose operations are prescribed, where other bits are wrong.
  void vote_rerounded(const replay::Finding& finding, const compare::Values& recorded) {
    const auto output = static_cast<size_t>(finding.outcome->definition->output_index(finding.field));
    if (finding.outcome->definition->outputs[output].judge == Judge::bits) return;
    std::vector<double> got(static_cast<size_t>(recorded.count));
    for (int64_t i = 0; i < recorded.count; ++i)
      got[static_cast<size_t>(i)] = round_to(recorded.dtype, recorded.exact[i]);
    compare::Values values = recorded;
    values.got = got.data();
    values.rounds_freely = true;  // as for any candidate with free rounding
    vote(values, [&](size_t judge) { ++rerounded[judge]; });
    compare::Record record;
    record.axes = finding.recorded.view().axes;
    record.shape = finding.recorded.shape();
    compare::ElementRules rules;
    rules.check_power = false;  // concerns the fixture, not the candidate
    compare::judge_elements(values, rules, record);
    if (record.status != compare::Status::pass) ++rerounded[kOurs];
  }
};

void add(Alarms& alarms, int64_t taps) {
  alarms.taps += taps;
  if (taps > 0) ++alarms.fixtures;
}

/// The judges' verdicts on correct candidates.
struct Correct {
  Ballot faultless, recording;
  std::optional<Ground> ground;
};

void judge_correct(const Fixture& fixture, const std::string& backend, Correct& result) {
  result.ground.emplace(ground_of(fixture, backend, result.faultless.observer(false)));
  result.faultless.refused[kOurs] = result.ground->alarmed;
  compare::RunOptions options;
  options.mode = compare::Mode::isolated;
  options.observe = result.recording.observer(true);
  for (const compare::Record& record : compare::run_golden(fixture.golden(), options).records) {
    if (!compare::is_green(record.status)) result.recording.refused[kOurs].insert(record.tap);
  }
}

void count_alarms(const Correct& correct, JudgesStudy& study) {
  study.taps += correct.recording.taps;
  if (!correct.recording.other_ids.empty()) ++study.ids_differ;
  for (size_t j = 0; j < study.rows.size(); ++j) {
    add(study.rows[j].faultless, static_cast<int64_t>(correct.faultless.refused[j].size()));
    add(study.rows[j].recordings, static_cast<int64_t>(correct.recording.refused[j].size()));
    add(study.rows[j].rerounded, correct.recording.rerounded[j]);
  }
}

void plant_everywhere(JudgedFault& row, const std::vector<Correct>& correct) {
  for (const Correct& beside : correct) {
    Ballot ballot;
    const Planting planting = plant(*row.fault, *beside.ground, ballot.observer(false));
    if (planting.places == 0) continue;
    ++row.fixtures;
    if (planting.flagged()) row.killed[kOurs] = true;
    for (size_t j = 1; j < row.killed.size(); ++j)
      row.killed[j] = row.killed[j] || ballot.refuses_more(beside.faultless, j);
    const auto& known = beside.faultless.other_ids;
    row.other_ids = row.other_ids || std::any_of(ballot.other_ids.begin(), ballot.other_ids.end(),
                                                 [&](const std::string& tap) { return !known.contains(tap); });
    // Further fixtures would add nothing.
    if (row.other_ids && std::find(row.killed.begin(), row.killed.end(), false) == row.killed.end()) return;
  }
}

std::vector<JudgeRow> empty_rows() {
  std::vector<JudgeRow> rows;
  rows.push_back({"parity", "derived bounds, bits, bias, must / may / must-not", "this project", 0, 0, {}, {}, {}});
  for (const compare::OtherJudge& judge : compare::other_judges())
    rows.push_back({judge.name, judge.rule, judge.source, 0, 0, {}, {}, {}});
  return rows;
}

}  // namespace

JudgesStudy run_judges(const JudgesOptions& options) {
  JudgesStudy study;
  study.rows = empty_rows();
  std::vector<std::unique_ptr<Fixture>> fixtures;
  for (const auto& path : options.goldens) fixtures.push_back(std::make_unique<Fixture>(path));
  study.fixtures = static_cast<int64_t>(fixtures.size());
  std::vector<Correct> correct(fixtures.size());
  cases::in_parallel(options.threads, study.fixtures, [&](int64_t i) {
    judge_correct(*fixtures[static_cast<size_t>(i)], options.backend, correct[static_cast<size_t>(i)]);
  });
  for (const Correct& each : correct) count_alarms(each, study);
  for (const Fault& fault : catalogue()) {
    const bool wanted = fault.equivalent.empty() && !fault.by_relations && glob_match(options.select, fault.id);
    if (wanted) study.faults.push_back({&fault, 0, std::vector<bool>(study.rows.size()), false});
  }
  std::mutex mutex;
  size_t done = 0;
  cases::in_parallel(options.threads, static_cast<int64_t>(study.faults.size()), [&](int64_t i) {
    plant_everywhere(study.faults[static_cast<size_t>(i)], correct);
    const std::scoped_lock lock(mutex);
    if (options.progress) options.progress(++done, study.faults.size());
  });
  for (const JudgedFault& fault : study.faults) {
    for (size_t j = 0; j < study.rows.size(); ++j) {
      study.rows[j].killed += fault.killed[j] ? 1 : 0;
      study.rows[j].killed_with_ids += fault.killed[j] || (j != kOurs && fault.other_ids) ? 1 : 0;
    }
  }
  return study;
}

}  // namespace parity::faults
