// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Study that proves that wrong values are named: taps of goldens are damaged in known ways, judged, and named as in a
// run.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "faults/studies/fixture.hpp"
#include "faults/values/value_corruption.hpp"

namespace parity::faults {

/// Least share of damaged taps whose kind must be named. None may be misnamed.
constexpr double kLeastValuesNamed = 0.95;

/// Fewest elements that a damage must change. Of fewer, one number may be twice another, or one more, by chance.
constexpr int64_t kFewestDamaged = 4;

/// One damaged tap and its description. `golden`, `tap`, `kind` and `seed` always give the same bytes.
struct ValueTrial {
  std::string golden, tap, kind;
  uint64_t seed = 0;
  const ValueCorruption* corruption = nullptr;
  int64_t changed = 0;   // number of changed elements
  bool noticed = false;  // by the judge; if false, there is nothing to name
  std::optional<compare::ValueMatch> said{};
  bool equivalent = false;  // `said` is another kind, some damage of which gives exactly these bits

  [[nodiscard]] bool named() const { return said && (said->kind == corruption->kind || equivalent); }
  [[nodiscard]] bool misnamed() const { return said && !named(); }
};

struct ValueTally {
  const ValueCorruption* corruption = nullptr;
  int64_t runs = 0, named = 0, misnamed = 0, equivalent = 0;
};

struct ValueStudyOptions {
  std::vector<std::filesystem::path> goldens;
  int64_t corruptions = 300;
  uint64_t seed = 1;
  std::string only = "*";                        // glob over kinds
  int threads = 0;                               // 0: one per processor
  std::function<void(size_t, size_t)> progress;  // done, total; one call at a time
};

struct ValueStudy {
  std::vector<ValueTrial> trials;
  int64_t redrawn = 0;    // draws that changed no bit, or only a few elements
  int64_t unnoticed = 0;  // draws within the tolerance, or decisions that are also right; drawn again

  [[nodiscard]] int64_t named() const;
  [[nodiscard]] int64_t misnamed() const;
  [[nodiscard]] double named_rate() const;  // 0 without trials
  [[nodiscard]] std::vector<ValueTally> by_kind() const;
  [[nodiscard]] bool holds() const { return named_rate() >= kLeastValuesNamed && misnamed() == 0; }
};

[[nodiscard]] ValueTrial run_value_trial(const Fixture& fixture, const Target& target,
                                         const ValueCorruption& corruption, uint64_t seed);
/// Runs the study. The trials do not depend on the number of threads.
[[nodiscard]] ValueStudy run_value_study(const ValueStudyOptions& options);

}  // namespace parity::faults
