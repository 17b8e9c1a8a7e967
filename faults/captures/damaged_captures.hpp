// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Study that proves that nothing unjudged passes, on captures that were misspelt, cut short, mixed up or never filled.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compare/judging/record.hpp"

namespace parity::faults {

/// One damaged capture and its verdict.
struct DamagedCapture {
  std::string kind;
  std::string golden;   // folder of the golden
  std::string made_by;  // source of the values: "golden", "cpu"
  std::string base;     // kind of capture that was damaged: "declared" or "undeclared"
  std::string detail;   // the taps or attributes changed
  uint64_t seed = 0;    // seed of the damage; with the golden and the kind it gives the same file again
  bool refused = false;
  compare::Status verdict = compare::Status::error;
  compare::Answer answer = compare::Answer::not_shown;
  std::string reason{};

  [[nodiscard]] bool green() const {
    const bool right = answer == compare::Answer::conforms || answer == compare::Answer::rounds_differently;
    return !refused && (right || compare::is_green(verdict));
  }
};

struct DamageTally {
  std::string kind;
  std::string what;
  int64_t runs = 0, refused = 0, failed = 0, not_shown = 0, green = 0;
};

struct DamagedCaptureStudy {
  std::vector<DamagedCapture> captures;
  std::vector<std::string> false_alarms;  // undamaged captures that are not green, with the reason

  [[nodiscard]] int64_t green() const;
  [[nodiscard]] int64_t made_by(const std::string& whose) const;
  [[nodiscard]] std::vector<DamageTally> by_kind() const;
  [[nodiscard]] bool holds() const { return !captures.empty() && green() == 0 && false_alarms.empty(); }
};

struct DamagedCaptureOptions {
  std::vector<std::filesystem::path> goldens;
  std::vector<std::string> backends;  // backends whose runs are damaged in addition to the goldens' recordings
  int64_t captures = 200;
  uint64_t seed = 1;
  std::function<void(size_t, size_t)> progress;  // done, total
};

/// Damages captures in turn over kinds and goldens: each golden's recording and every backend's run. Deterministic.
[[nodiscard]] DamagedCaptureStudy run_damaged_captures(const DamagedCaptureOptions& options);

}  // namespace parity::faults
