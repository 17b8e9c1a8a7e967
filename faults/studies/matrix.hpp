// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The kill matrix: every fault of the catalogue planted on every fixture that has a place for it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "faults/studies/planting.hpp"

namespace parity::faults {

/// What the judge must reach over the catalogue.
constexpr double kLeastFaultsKilled = 0.98;
constexpr double kLeastComponentsNamed = 0.97;
constexpr double kLeastTapsWithinOne = 0.99;
constexpr double kMostEquivalent = 0.05;
/// A fault that no fixture shows with a signal of so many thresholds needs a better fixture.
constexpr double kLeastSignal = 4.0;

/// Shares of the faults that count.
struct Floors {
  double killed = kLeastFaultsKilled, named = kLeastComponentsNamed, within_one = kLeastTapsWithinOne;
  double observable = 1.0;  // 0: not asked for
};
/// Around a backend's kernels fixtures are what they are: a fault must be noticed, by whatever margin.
[[nodiscard]] Floors floors_of(const std::string& backend);

struct MatrixOptions {
  std::vector<std::filesystem::path> goldens;
  std::string select = "*";    // glob over fault ids
  std::string backend{};       // whose kernels faults are planted around; empty: the reference
  bool every_fixture = false;  // else the first that shows the fault clearly is enough
  int threads = 0;             // 0: one per processor
  bool explained = false;      // look for the cause of each, on its best fixture
  std::function<void(size_t, size_t)> progress;
};

struct FaultRow {
  const Fault* fault = nullptr;
  std::string explained_by;         // the fault that is named as its cause; empty: none, or not searched
  std::vector<Planting> plantings;  // where there was something to edit

  [[nodiscard]] const Planting* best() const;  // the one with the largest signal; nothing when never planted
  [[nodiscard]] bool equivalent() const { return !fault->equivalent.empty(); }
  [[nodiscard]] bool killed() const { return best() != nullptr && best()->flagged(); }
  [[nodiscard]] bool component_named() const { return killed() && best()->named_component == fault->component; }
  [[nodiscard]] bool within_one_tap() const {
    return killed() && best()->distance && *best()->distance >= -1 && *best()->distance <= 1;
  }
  /// The same edits planted and explained: shows that names are told apart, not that a bug in the wild fits one.
  [[nodiscard]] bool bug_named() const { return killed() && explained_by == fault->id; }
  [[nodiscard]] bool observable() const { return best() != nullptr && best()->signal >= kLeastSignal; }
};

struct Matrix {
  std::string backend;  // whose kernels the faults are planted around; empty: the reference
  std::vector<FaultRow> rows;
  std::vector<const Fault*>
      not_held;  // there is nothing to plant them in: no golden's plan, or no kernel, has the component
  std::vector<std::string>
      false_alarms;  // fixtures on which the faultless candidate, or one that spares roundings, is not green
  size_t fixtures = 0;

  using Predicate = bool (FaultRow::*)() const;
  [[nodiscard]] int64_t equivalents() const;
  /// Fewer or later roundings, or another order, in a candidate that may choose them: right, told apart, but no fault.
  [[nodiscard]] bool rounds_differently(const FaultRow& row) const;
  [[nodiscard]] bool counts(const FaultRow& row) const;  // neither equivalent nor rounding differently
  [[nodiscard]] int64_t counted() const;
  [[nodiscard]] int64_t count(Predicate predicate) const;  // of those that count
  [[nodiscard]] double share(Predicate predicate) const;   // of them
  [[nodiscard]] bool holds() const;
};

/// The same options give the same matrix, whatever the number of threads.
[[nodiscard]] Matrix run_matrix(const MatrixOptions& options);

}  // namespace parity::faults
