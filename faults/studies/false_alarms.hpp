// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How often the judge accuses a correct kernel: many cases, seeds, types and orders of summation; and how much of its
// tolerances they use.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cases/drawn/case.hpp"
#include "compare/record.hpp"

namespace parity::faults {

/// A bound of which correct kernels never use this share is loose, one of which they use more is tight.
inline constexpr double kLooseShare = 1.0 / 100.0;
inline constexpr double kTightShare = 1.0 / 1.5;

struct FalseAlarmOptions {
  int64_t runs = 10000;
  uint64_t seed = 1;
  cases::SeedUse use = cases::SeedUse::gate;
  DType accumulator = DType::f32;  // of the candidates; a narrower one must raise alarms
  bool own_roundings = false;      // candidates leave out some of the oracle's roundings; judged by bounds
  int threads = 0;                 // 0: one per processor
  std::function<void(size_t, size_t)> progress;
};

/// One component in one working type.
struct Headroom {
  std::string component;
  DType working = DType::f32;
  int64_t runs = 0, alarms = 0, mistrusted = 0;
  double worst = 0.0;     // largest share of a tolerance that a correct kernel used
  double oracle = 0.0;    // the same of the oracle's own roundings
  double error = 0.0;     // largest rms(got - exact) / rms(oracle - exact) of a tap
  int64_t deviating = 0;  // runs that were right and not the oracle's
  uint64_t seed = 0;      // of the case with the worst

  [[nodiscard]] bool loose() const { return worst < kLooseShare; }
  /// Tight by what correct kernels differ in; a worst case that the oracle's own roundings reach is reached, not tight.
  [[nodiscard]] bool tight() const { return worst > kTightShare && !reached(); }
  [[nodiscard]] bool reached() const { return worst > kTightShare && worst <= 1.05 * oracle; }
};

/// A correct run that was not green.
struct Alarm {
  std::string component;
  uint64_t seed = 0;
  std::string tap, text, reason;
  compare::Status status = compare::Status::fail;
};

struct FalseAlarmStudy {
  std::vector<Headroom> headroom;  // by component and type
  std::vector<Alarm> alarms;       // in the order of runs
  std::vector<Alarm> mistrusted;   // passes that prove nothing: the case is too small; no alarms
  std::vector<int64_t> refused;    // runs of which another judge refuses a tap; in the order of compare::other_judges()
  int64_t runs = 0;
  double seconds = 0.0;

  /// 95 % upper bound of the rate of alarms: exact for none (1 - 0.05^(1/n), about 3 / n), else Clopper and Pearson's.
  [[nodiscard]] double upper_bound() const;
  [[nodiscard]] int64_t runs_with_alarms() const;
  [[nodiscard]] int64_t runs_mistrusted() const;
  [[nodiscard]] bool holds() const { return runs > 0 && alarms.empty(); }
};

[[nodiscard]] double upper_bound_of(int64_t alarms, int64_t runs);
[[nodiscard]] FalseAlarmStudy run_false_alarms(const FalseAlarmOptions& options);

}  // namespace parity::faults
