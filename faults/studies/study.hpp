// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Study that proves that the judge can fail: random corruptions of goldens, each judged like any recording.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "faults/studies/trial.hpp"

namespace parity::faults {

/// Minimum share of corruptions that the judge must notice, and of those the share that it must name exactly.
constexpr double kLeastKillRate = 0.99;
constexpr double kLeastNamedRate = 0.99;

struct StudyOptions {
  std::vector<std::filesystem::path> goldens;
  int64_t corruptions = 500;
  uint64_t seed = 1;
  bool explained = false;                        // also search for a known fault as the cause of each
  int threads = 0;                               // 0: one per processor
  std::function<void(size_t, size_t)> progress;  // done, total; calls do not overlap
};

/// Counts over the trials of one kind.
struct KindTally {
  std::string kind;
  std::string what;
  int64_t runs = 0;
  int64_t killed = 0;
  int64_t named = 0;             // number of exactly named ones
  double smallest_effect = 0.0;  // largest change over the tap's size, least of the killed trials
  double lowest_signal = 0.0;    // share of the budget used, least of the killed trials
};

struct Study {
  std::vector<Trial> trials;
  std::vector<std::string> false_alarms;  // undamaged goldens that do not pass, and why; they are not used
  int64_t redrawn = 0;                    // number of draws that changed nothing

  [[nodiscard]] int64_t killed() const;
  [[nodiscard]] int64_t named() const;
  [[nodiscard]] int64_t wrongly_explained() const;
  [[nodiscard]] double kill_rate() const;   // 0 without trials
  [[nodiscard]] double named_rate() const;  // share of the killed ones
  [[nodiscard]] std::vector<KindTally> by_kind() const;
  /// Whether both rates are reached without a false alarm.
  [[nodiscard]] bool holds() const;
};

/// Runs the study. The trials do not depend on the number of threads.
[[nodiscard]] Study run_study(const StudyOptions& options);

}  // namespace parity::faults
