// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The study that proves that the judge can fail: random corruptions of goldens, each judged like any recording.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "faults/studies/trial.hpp"

namespace parity::faults {

/// What a judge must reach: share of corruptions flagged, and of those share named exactly.
constexpr double kLeastKillRate = 0.99;
constexpr double kLeastNamedRate = 0.99;

struct StudyOptions {
  std::vector<std::filesystem::path> goldens;
  int64_t corruptions = 500;
  uint64_t seed = 1;
  bool explained = false;                        // look for a known fault as the cause of each
  int threads = 0;                               // 0: one per processor
  std::function<void(size_t, size_t)> progress;  // done, total; one call at a time
};

/// Trials of one kind.
struct KindTally {
  std::string kind;
  std::string what;
  int64_t runs = 0;
  int64_t killed = 0;
  int64_t named = 0;             // exactly
  double smallest_effect = 0.0;  // of those killed: largest change relative to the tap
  double lowest_signal = 0.0;    // of those killed: share of the budget used
};

struct Study {
  std::vector<Trial> trials;
  std::vector<std::string> false_alarms;  // goldens that are not green as they are, and why; they are not damaged
  int64_t redrawn = 0;                    // draws that changed nothing

  [[nodiscard]] int64_t killed() const;
  [[nodiscard]] int64_t named() const;
  [[nodiscard]] int64_t wrongly_explained() const;
  [[nodiscard]] double kill_rate() const;   // 0 when nothing ran
  [[nodiscard]] double named_rate() const;  // of the killed ones
  [[nodiscard]] std::vector<KindTally> by_kind() const;
  /// Both rates are reached, no false alarm.
  [[nodiscard]] bool holds() const;
};

/// The same options give the same trials, whatever the number of threads.
[[nodiscard]] Study run_study(const StudyOptions& options);

}  // namespace parity::faults
