// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The kill matrix: every fault of the catalogue, planted on every fixture with a node for it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "faults/studies/planting.hpp"

namespace parity::faults {

/// Minimum shares that the judge must reach over the catalogue.
constexpr double kLeastFaultsKilled = 0.98;
constexpr double kLeastComponentsNamed = 0.97;
constexpr double kLeastTapsWithinOne = 0.99;
constexpr double kMostEquivalent = 0.05;
/// Least signal, in thresholds, that some fixture must show for a fault. Else a better fixture is needed.
constexpr double kLeastSignal = 4.0;

/// Minimum shares of the faults that count.
struct Floors {
  double killed = kLeastFaultsKilled, named = kLeastComponentsNamed, within_one = kLeastTapsWithinOne;
  double observable = 1.0;  // 0: not required
};
/// Returns the smallest shares of faults noticed, named and located with which the study passes. Around a backend's
/// kernels a fault need only be noticed, by any margin.
[[nodiscard]] Floors floors_of(const std::string& backend);

struct MatrixOptions {
  std::vector<std::filesystem::path> goldens;
  std::string select = "*";    // glob over fault ids
  std::string backend{};       // backend around whose kernels faults are planted; empty: the reference
  bool every_fixture = false;  // false: stops at the first fixture that shows the fault clearly
  int threads = 0;             // 0: one per processor
  bool explained = false;      // also searches the cause of each fault, on its best fixture
  std::function<void(size_t, size_t)> progress;
};

struct FaultRow {
  const Fault* fault = nullptr;
  std::string explained_by;         // fault that is named as the cause; empty: none, or not searched
  std::vector<Planting> plantings;  // on fixtures with a node for the fault

  [[nodiscard]] const Planting* best() const;  // largest signal; nullptr if never planted
  [[nodiscard]] bool equivalent() const { return !fault->equivalent.empty(); }
  [[nodiscard]] bool killed() const { return best() != nullptr && best()->flagged(); }
  [[nodiscard]] bool component_named() const { return killed() && best()->named_component == fault->component; }
  [[nodiscard]] bool within_one_tap() const {
    return killed() && best()->distance && *best()->distance >= -1 && *best()->distance <= 1;
  }
  /// Whether explaining names the fault itself. This shows that faults are told apart, not that other bugs fit one.
  [[nodiscard]] bool bug_named() const { return killed() && explained_by == fault->id; }
  [[nodiscard]] bool observable() const { return best() != nullptr && best()->signal >= kLeastSignal; }
};

struct Matrix {
  std::string backend;  // backend around whose kernels the faults are planted; empty: the reference
  std::vector<FaultRow> rows;
  std::vector<const Fault*>
      not_held;  // faults that cannot be planted: no plan of a golden, or no kernel, has the component
  std::vector<std::string>
      false_alarms;  // fixtures on which a candidate without a fault, or one that only omits roundings, does not pass
  size_t fixtures = 0;

  using Predicate = bool (FaultRow::*)() const;
  [[nodiscard]] int64_t equivalents() const;
  /// Whether the fault only omits, delays or reorders roundings in a candidate that may do so: no bug, though noticed.
  [[nodiscard]] bool rounds_differently(const FaultRow& row) const;
  [[nodiscard]] bool counts(const FaultRow& row) const;  // neither equivalent nor rounding differently
  [[nodiscard]] int64_t counted() const;
  [[nodiscard]] int64_t count(Predicate predicate) const;  // among the rows that count
  [[nodiscard]] double share(Predicate predicate) const;   // share of the rows that count
  [[nodiscard]] bool holds() const;
};

/// Runs the matrix. The result does not depend on the number of threads.
[[nodiscard]] Matrix run_matrix(const MatrixOptions& options);

}  // namespace parity::faults
