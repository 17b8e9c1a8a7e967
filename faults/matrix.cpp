// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/matrix.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>

#include "core/text.hpp"
#include "faults/catalogue.hpp"
#include "faults/explain.hpp"
#include "faults/made.hpp"
#include "faults/parallel.hpp"

namespace parity::faults {
namespace {

/// Enough to show the fault: nothing is learnt from further fixtures.
bool clear(const Planting& planting) {
  return planting.flagged() && planting.named_exactly() && planting.named_component == planting.component &&
         planting.signal >= kLeastSignal;
}

void fill(FaultRow& row, const std::vector<std::unique_ptr<Fixture>>& fixtures, bool every_fixture) {
  for (const auto& fixture : fixtures) {
    Planting planting = plant(*row.fault, *fixture);
    if (planting.places == 0) continue;
    row.plantings.push_back(std::move(planting));
    if (!every_fixture && clear(row.plantings.back())) return;
  }
}

/// What `parity run --candidate fault:ID` names behind it on its best fixture.
std::string name_behind(const FaultRow& row) {
  compare::RunOptions options;
  options.mode = compare::Mode::isolated;
  options.candidate = compare::RunOptions::Candidate::made;
  options.made = "fault:" + row.fault->id;
  options.make = maker_of(options.made);
  const auto golden = golden::Golden::open(row.best()->fixture);
  const auto report = compare::run_golden(golden, options);
  if (!report.first_divergence) return {};
  const auto found = explain(golden, options, report);
  return found.empty() ? std::string() : found.front().faults.front().id;
}

}  // namespace

const Planting* FaultRow::best() const {
  const auto found = std::max_element(plantings.begin(), plantings.end(), [](const Planting& a, const Planting& b) {
    return std::pair(a.named_exactly(), a.signal) < std::pair(b.named_exactly(), b.signal);
  });
  return found == plantings.end() ? nullptr : &*found;
}

int64_t Matrix::equivalents() const {
  return std::count_if(rows.begin(), rows.end(), [](const FaultRow& row) { return row.equivalent(); });
}

int64_t Matrix::count(Predicate predicate) const {
  return std::count_if(rows.begin(), rows.end(),
                       [&](const FaultRow& row) { return !row.equivalent() && (row.*predicate)(); });
}

double Matrix::share(Predicate predicate) const {
  const auto all = static_cast<int64_t>(rows.size()) - equivalents();
  return all == 0 ? 0.0 : static_cast<double>(count(predicate)) / static_cast<double>(all);
}

bool Matrix::holds() const {
  const auto all = static_cast<double>(std::max<size_t>(rows.size(), 1));
  return share(&FaultRow::killed) >= kLeastFaultsKilled && share(&FaultRow::component_named) >= kLeastComponentsNamed &&
         share(&FaultRow::within_one_tap) >= kLeastTapsWithinOne && share(&FaultRow::observable) == 1.0 &&
         static_cast<double>(equivalents()) / all <= kMostEquivalent && false_alarms.empty();
}

Matrix run_matrix(const MatrixOptions& options) {
  Matrix matrix;
  std::vector<std::unique_ptr<Fixture>> all, fixtures;
  for (const auto& path : options.goldens) all.push_back(std::make_unique<Fixture>(path));
  std::set<std::string> held;  // components
  for (const auto& fixture : all) {
    for (const Node& node : fixture->plan().nodes) held.insert(node.component);
  }
  std::vector<std::string> alarms(all.size());
  in_parallel(options.threads, static_cast<int64_t>(all.size()), [&](int64_t i) {
    alarms[static_cast<size_t>(i)] = alarm_of(judge_faultless(*all[static_cast<size_t>(i)]));
  });
  for (size_t i = 0; i < all.size(); ++i) {
    if (alarms[i].empty()) {
      fixtures.push_back(std::move(all[i]));
    } else {
      matrix.false_alarms.push_back(alarms[i]);  // a kill there would prove nothing
    }
  }
  matrix.fixtures = fixtures.size();
  for (const Fault& fault : catalogue()) {
    if (fault.by_relations || !glob_match(options.select, fault.id)) continue;
    if (held.contains(fault.component)) {
      matrix.rows.emplace_back().fault = &fault;
    } else {
      matrix.not_held.push_back(&fault);
    }
  }
  std::mutex mutex;
  size_t done = 0;
  in_parallel(options.threads, static_cast<int64_t>(matrix.rows.size()), [&](int64_t i) {
    FaultRow& row = matrix.rows[static_cast<size_t>(i)];
    fill(row, fixtures, options.every_fixture);
    if (options.explained && row.killed()) row.explained_by = name_behind(row);
    const std::scoped_lock lock(mutex);
    if (options.progress) options.progress(++done, matrix.rows.size());
  });
  return matrix;
}

}  // namespace parity::faults
