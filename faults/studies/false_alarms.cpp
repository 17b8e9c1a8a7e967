// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/studies/false_alarms.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

#include "cases/parallel.hpp"
#include "compare/studies/other_judges.hpp"

namespace parity::faults {
namespace {

/// Start of the studies' seeds. Smaller ones are for cases of `parity battery`, which were used to develop the rules.
constexpr uint64_t kStudies = uint64_t{1} << 30U;

constexpr std::array kTypes{DType::f32, DType::bf16, DType::f16};

/// The case of a run. Runs cycle through components and types. The first half is of boundary cases.
struct DrawnRun {
  size_t cell;  // index of component and type
  std::string component;
  DType working;
  bool boundary;
};

DrawnRun run_of(int64_t index, int64_t runs, const std::vector<std::string>& components) {
  const auto cells = static_cast<int64_t>(components.size() * kTypes.size());
  const auto cell = static_cast<size_t>(index % cells);
  return {cell, components[cell / kTypes.size()], kTypes[cell % kTypes.size()], index < (runs + 1) / 2};
}

struct Outcome {
  std::vector<Alarm> alarms, mistrusted;
  double worst = 0.0, oracle = 0.0, error = 0.0;
  bool deviates = false;
  std::vector<bool> refused = std::vector<bool>(compare::other_judges().size());  // by each other judge
  uint64_t seed = 0;
};

double largest_budget(const std::vector<compare::Record>& records) {
  double largest = 0.0;
  for (const compare::Record& record : records) {
    if (!record.discrete) largest = std::max(largest, record.budget_used);
  }
  return largest;
}

/// Returns an observer that records which other judges refuse a tap.
compare::Observer ballot(std::vector<bool>& refused) {
  return [&refused](const replay::Finding&, const compare::Values* values) {
    for (size_t j = 0; values != nullptr && j < refused.size(); ++j) {
      if (!compare::other_judges()[j].accepts(*values)) refused[j] = true;
    }
  };
}

/// Returns the largest error of a tap with enough elements for a root mean square.
double largest_error(const std::vector<compare::Record>& records) {
  constexpr int64_t kFewest = 256;
  double largest = 0.0;
  for (const compare::Record& record : records) {
    if (record.elements >= kFewest) largest = std::max(largest, record.noise.error);
  }
  return largest;
}

Outcome judged(const DrawnRun& run, uint64_t seed, const FalseAlarmOptions& options) {
  Outcome outcome;
  outcome.seed = seed;
  try {
    const cases::CaseSpec spec{
        run.component, run.working, run.boundary ? cases::Lane::boundary : cases::Lane::anywhere, seed, {}};
    cases::DrawnCase correct = cases::draw_case(spec);
    correct.style.accumulator = options.accumulator;
    const auto records = cases::judge_case(
        correct, options.own_roundings ? cases::own_roundings() : cases::another_order(), ballot(outcome.refused));
    outcome.error = largest_error(records);
    for (const compare::Record& record : records) {
      outcome.deviates = outcome.deviates || record.deviation.has_value();
      if (record.status == compare::Status::pass) continue;
      const std::string reason =
          record.reason.empty()
              ? fmt::format(
                    "{} of {} elements; {}; worst: exact {:.9g}, as the oracle rounds {:.9g}, got {:.9g}, "
                    "tolerance {:.3g} (rounding {:.3g}, noise {:.3g}, oracle {:.3g})",
                    record.failed, record.elements, record.where, record.worst.exact, record.worst.rounded,
                    record.worst.got, record.terms.tolerance, record.terms.rounding, record.terms.noise,
                    record.terms.oracle)
              : record.reason;
      auto& list = record.status == compare::Status::mistrusted ? outcome.mistrusted : outcome.alarms;
      list.push_back({run.component, seed, record.tap, correct.text(), reason, record.status});
    }
    outcome.worst = largest_budget(records);
    outcome.oracle = largest_budget(cases::judge_case(correct, cases::oracle()));
  } catch (const Error& error) {
    outcome.alarms.push_back({run.component, seed, "", "", error.what(), compare::Status::error});
  }
  return outcome;
}

void add(const Outcome& outcome, Headroom& cell) {
  ++cell.runs;
  cell.alarms += outcome.alarms.empty() ? 0 : 1;
  cell.mistrusted += outcome.mistrusted.empty() ? 0 : 1;
  cell.oracle = std::max(cell.oracle, outcome.oracle);
  cell.error = std::max(cell.error, outcome.error);
  cell.deviating += outcome.deviates && outcome.alarms.empty() ? 1 : 0;
  if (outcome.worst < cell.worst || (outcome.worst == cell.worst && cell.runs > 1)) return;
  cell.worst = outcome.worst;
  cell.seed = outcome.seed;
}

/// Returns the probability of at most k of n events that each have probability p.
double cumulative(int64_t k, int64_t n, double p) {
  double total = 0.0;
  for (int64_t i = 0; i <= k; ++i) {
    const auto x = static_cast<double>(i), all = static_cast<double>(n);
    total += std::exp(std::lgamma(all + 1.0) - std::lgamma(x + 1.0) - std::lgamma(all - x + 1.0) + x * std::log(p) +
                      (all - x) * std::log1p(-p));
  }
  return total;
}

}  // namespace

double upper_bound_of(int64_t alarms, int64_t runs) {
  constexpr double kMissed = 0.05;
  if (runs == 0 || alarms >= runs) return 1.0;
  if (alarms == 0) return -std::expm1(std::log(kMissed) / static_cast<double>(runs));
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (cumulative(alarms, runs, middle) > kMissed ? low : high) = middle;
  }
  return high;
}

int64_t FalseAlarmStudy::runs_with_alarms() const {
  int64_t total = 0;
  for (const Headroom& cell : headroom) total += cell.alarms;
  return total;
}

int64_t FalseAlarmStudy::runs_mistrusted() const {
  int64_t total = 0;
  for (const Headroom& cell : headroom) total += cell.mistrusted;
  return total;
}

double FalseAlarmStudy::upper_bound() const { return upper_bound_of(runs_with_alarms(), runs); }

FalseAlarmStudy run_false_alarms(const FalseAlarmOptions& options) {
  PARITY_CHECK(options.runs > 0, usage, "--false-alarms {} is too small; use 1 or more runs", options.runs);
  PARITY_CHECK(options.seed < kStudies, usage, "--seed {} is too large; use a number below 2^30", options.seed);
  PARITY_CHECK(options.runs < (int64_t{1} << 32), usage, "--false-alarms {} is too large; use a number below 2^32",
               options.runs);
  const auto start = std::chrono::steady_clock::now();
  const auto components = options.own_roundings ? cases::drawn_components() : cases::reordered_components();
  std::vector<Outcome> outcomes(static_cast<size_t>(options.runs));
  std::atomic<size_t> done{0};
  cases::in_parallel(options.threads, options.runs, [&](int64_t index) {
    const DrawnRun run = run_of(index, options.runs, components);
    outcomes[static_cast<size_t>(index)] =
        judged(run, cases::case_seed(options.use, kStudies + options.seed, index), options);
    const size_t now = ++done;
    if (options.progress && now % 64 == 0) options.progress(now, outcomes.size());
  });
  FalseAlarmStudy study;
  study.runs = options.runs;
  study.refused.resize(compare::other_judges().size());
  for (const std::string& component : components) {
    for (const DType type : kTypes) study.headroom.push_back({component, type});
  }
  for (int64_t index = 0; index < options.runs; ++index) {
    const Outcome& outcome = outcomes[static_cast<size_t>(index)];
    add(outcome, study.headroom[run_of(index, options.runs, components).cell]);
    for (size_t j = 0; j < study.refused.size(); ++j) study.refused[j] += outcome.refused[j] ? 1 : 0;
    study.alarms.insert(study.alarms.end(), outcome.alarms.begin(), outcome.alarms.end());
    study.mistrusted.insert(study.mistrusted.end(), outcome.mistrusted.begin(), outcome.mistrusted.end());
  }
  study.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return study;
}

}  // namespace parity::faults
