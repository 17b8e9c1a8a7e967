// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/studies/matrix.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>

#include "cases/parallel.hpp"
#include "core/text.hpp"
#include "faults/catalogue.hpp"
#include "faults/computed.hpp"
#include "faults/explaining/explain.hpp"

namespace parity::faults {
namespace {

/// Whether the fault is shown clearly, so that further fixtures would add nothing.
bool clear(const Planting& planting) {
  return planting.flagged() && planting.named_exactly() && planting.named_component == planting.component &&
         planting.signal >= kLeastSignal;
}

void fill(FaultRow& row, const std::vector<Ground>& grounds, bool every_fixture) {
  for (const Ground& ground : grounds) {
    Planting planting = plant(*row.fault, ground);
    if (planting.places == 0) continue;
    row.plantings.push_back(std::move(planting));
    if (!every_fixture && clear(row.plantings.back())) return;
  }
}

/// Adds a false alarm for each fault that only omits or delays roundings but was called wrong, although that is right.
void add_alarms(const FaultRow& row, Matrix& matrix) {
  for (const Planting& planting : row.plantings) {
    if (!matrix.backend.empty() && planting.only_later && planting.changed > 0 && !planting.right)
      matrix.false_alarms.push_back(
          fmt::format("{}: fault {} only leaves out or delays roundings, but tap {} is called wrong", planting.fixture,
                      row.fault->id, planting.named));
  }
}

/// Returns the fault that explaining names for `parity run --candidate fault:ID` on the best fixture.
std::string name_of(const FaultRow& row, const std::string& backend) {
  compare::RunOptions options;
  options.mode = compare::Mode::isolated;
  options.candidate = compare::RunOptions::Candidate::computed;
  options.computed = with_fault_word(backend, row.fault->id);
  options.compute = compute_of(options.computed);
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

bool Matrix::counts(const FaultRow& row) const { return !row.equivalent() && !rounds_differently(row); }

bool Matrix::rounds_differently(const FaultRow& row) const {
  const auto shows = [](const Planting& planting) { return planting.changed > 0; };
  const auto right = [&](const Planting& planting) { return !shows(planting) || planting.rounds_differently(); };
  return !backend.empty() && std::all_of(row.plantings.begin(), row.plantings.end(), right) &&
         std::any_of(row.plantings.begin(), row.plantings.end(), shows);
}

int64_t Matrix::counted() const {
  return std::count_if(rows.begin(), rows.end(), [&](const FaultRow& row) { return counts(row); });
}

int64_t Matrix::count(Predicate predicate) const {
  return std::count_if(rows.begin(), rows.end(),
                       [&](const FaultRow& row) { return counts(row) && (row.*predicate)(); });
}

double Matrix::share(Predicate predicate) const {
  return counted() == 0 ? 0.0 : static_cast<double>(count(predicate)) / static_cast<double>(counted());
}

bool Matrix::holds() const {
  const auto all = static_cast<double>(std::max<size_t>(rows.size(), 1));
  const Floors least = floors_of(backend);
  return share(&FaultRow::killed) >= least.killed && share(&FaultRow::component_named) >= least.named &&
         share(&FaultRow::within_one_tap) >= least.within_one && share(&FaultRow::observable) >= least.observable &&
         static_cast<double>(equivalents()) / all <= kMostEquivalent && false_alarms.empty();
}

Floors floors_of(const std::string& backend) {
  if (backend.empty()) return {};
  constexpr double kKilled = 0.99, kNamed = 0.98;
  return {kKilled, kNamed, kNamed, 0.0};
}

Matrix run_matrix(const MatrixOptions& options) {
  Matrix matrix;
  matrix.backend = options.backend;
  std::vector<std::unique_ptr<Fixture>> fixtures;
  for (const auto& path : options.goldens) fixtures.push_back(std::make_unique<Fixture>(path));
  std::set<std::string> held;  // components of the plans
  for (const auto& fixture : fixtures) {
    for (const Node& node : fixture->plan().nodes) held.insert(node.component);
  }
  std::vector<std::optional<Ground>> judged(fixtures.size());
  cases::in_parallel(options.threads, static_cast<int64_t>(fixtures.size()), [&](int64_t i) {
    judged[static_cast<size_t>(i)].emplace(ground_of(*fixtures[static_cast<size_t>(i)], options.backend));
  });
  std::vector<Ground> grounds;
  for (const auto& ground : judged) {
    if (!ground->alarm.empty()) matrix.false_alarms.push_back(ground->alarm);
    grounds.push_back(*ground);
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
  cases::in_parallel(options.threads, static_cast<int64_t>(matrix.rows.size()), [&](int64_t i) {
    FaultRow& row = matrix.rows[static_cast<size_t>(i)];
    fill(row, grounds, options.every_fixture);
    if (options.explained && row.killed()) row.explained_by = name_of(row, options.backend);
    const std::scoped_lock lock(mutex);
    add_alarms(row, matrix);
    if (options.progress) options.progress(++done, matrix.rows.size());
  });
  std::sort(matrix.false_alarms.begin(), matrix.false_alarms.end());  // the threads finish in any order
  if (options.backend.empty()) return matrix;
  std::erase_if(matrix.rows, [&](const FaultRow& row) {  // the backend has no kernel for these
    if (row.best() == nullptr) matrix.not_held.push_back(row.fault);
    return row.best() == nullptr;
  });
  return matrix;
}

}  // namespace parity::faults
