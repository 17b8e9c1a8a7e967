// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The study that proves that wrong values are named: taps of goldens damaged in known ways, each judged and named as a run
// does.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "faults/studies/fixture.hpp"
#include "faults/values/value_corruption.hpp"

namespace parity::faults {

/// Share of the damaged taps whose kind has to be named; none may be named wrongly.
constexpr double kLeastValuesNamed = 0.95;

/// Elements that have to change: of fewer, one number is twice another by chance, and one more than it, and so on.
constexpr int64_t kFewestDamaged = 4;

/// One damaged tap and what was said of it. `golden`, `tap`, `kind` and `seed` make the same bytes again.
struct ValueTrial {
  std::string golden, tap, kind;
  uint64_t seed = 0;
  const ValueCorruption* corruption = nullptr;
  int64_t changed = 0;   // elements
  bool noticed = false;  // by the judge; else there is nothing to name
  std::optional<compare::ValueMatch> said{};
  bool equivalent = false;  // what was said is another kind, damage of which gives the very same bits

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
  int64_t redrawn = 0;    // draws that left every bit, or all but a few elements
  int64_t unnoticed = 0;  // draws within the tolerance, or of decisions that are as right: drawn again

  [[nodiscard]] int64_t named() const;
  [[nodiscard]] int64_t misnamed() const;
  [[nodiscard]] double named_rate() const;  // 0 when nothing ran
  [[nodiscard]] std::vector<ValueTally> by_kind() const;
  [[nodiscard]] bool holds() const { return named_rate() >= kLeastValuesNamed && misnamed() == 0; }
};

[[nodiscard]] ValueTrial run_value_trial(const Fixture& fixture, const Target& target,
                                         const ValueCorruption& corruption, uint64_t seed);
/// The same options give the same trials, whatever the number of threads.
[[nodiscard]] ValueStudy run_value_study(const ValueStudyOptions& options);

}  // namespace parity::faults
