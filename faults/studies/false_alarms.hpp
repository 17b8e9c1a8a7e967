// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Study of false alarms: how often the judge fails a correct kernel, over many cases, seeds, types and orders of
// summation, and how much of the tolerances these kernels use.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cases/drawn/case.hpp"
#include "compare/judging/record.hpp"

namespace parity::faults {

/// A tolerance is loose if correct kernels never use the first share of it, and tight if one uses more than the second.
inline constexpr double kLooseShare = 1.0 / 100.0;
inline constexpr double kTightShare = 1.0 / 1.5;

struct FalseAlarmOptions {
  int64_t runs = 10000;
  uint64_t seed = 1;
  cases::SeedUse use = cases::SeedUse::gate;
  DType accumulator = DType::f32;  // accumulator type of the candidates; a narrower one must raise alarms
  bool own_roundings = false;      // candidates omit some of the oracle's roundings; judged by bounds
  int threads = 0;                 // 0: one per processor
  std::function<void(size_t, size_t)> progress;
};

/// Result of the study for one component in one working type.
struct Headroom {
  std::string component;
  DType working = DType::f32;
  int64_t runs = 0, alarms = 0, mistrusted = 0;
  double worst = 0.0;     // largest share of a tolerance used by a correct kernel
  double oracle = 0.0;    // largest share of a tolerance used by the oracle's own roundings
  double error = 0.0;     // largest rms(got - exact) / rms(oracle - exact) of a tap
  int64_t deviating = 0;  // number of right runs that differ from the oracle
  uint64_t seed = 0;      // seed of the case with `worst`

  [[nodiscard]] bool loose() const { return worst < kLooseShare; }
  /// Whether correct kernels come close to the limit, unless the oracle's own roundings reach the worst case as well.
  [[nodiscard]] bool tight() const { return worst > kTightShare && !reached(); }
  [[nodiscard]] bool reached() const { return worst > kTightShare && worst <= 1.05 * oracle; }
};

/// A correct run that did not pass.
struct Alarm {
  std::string component;
  uint64_t seed = 0;
  std::string tap, text, reason;
  compare::Status status = compare::Status::fail;
};

struct FalseAlarmStudy {
  std::vector<Headroom> headroom;  // by component and type
  std::vector<Alarm> alarms;       // in the order of runs
  std::vector<Alarm> mistrusted;   // passes that prove nothing, as the case is too small; not alarms
  std::vector<int64_t> refused;    // runs with a tap refused by another judge; in the order of compare::other_judges()
  int64_t runs = 0;
  double seconds = 0.0;

  /// Returns the 95 % upper bound of the alarm rate: 1 - 0.05^(1/n), about 3 / n, for none, else Clopper and Pearson's.
  [[nodiscard]] double upper_bound() const;
  [[nodiscard]] int64_t runs_with_alarms() const;
  [[nodiscard]] int64_t runs_mistrusted() const;
  [[nodiscard]] bool holds() const { return runs > 0 && alarms.empty(); }
};

[[nodiscard]] double upper_bound_of(int64_t alarms, int64_t runs);
[[nodiscard]] FalseAlarmStudy run_false_alarms(const FalseAlarmOptions& options);

}  // namespace parity::faults
