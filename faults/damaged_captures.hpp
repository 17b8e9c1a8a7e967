// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The study that proves that nothing unjudged is green: captures that were misspelt, cut short, mixed up or never filled.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compare/record.hpp"

namespace parity::faults {

/// One damaged capture and what was said of it.
struct DamagedCapture {
  std::string kind;
  std::string golden;   // folder
  std::string made_by;  // whose values: "golden", "cpu"
  std::string base;     // "declared" or "undeclared": what was damaged
  std::string detail;   // taps, attributes
  uint64_t seed = 0;    // of the damage: with the golden and the kind it makes the same file again
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
  std::vector<std::string> false_alarms;  // undamaged captures that are not green, and why

  [[nodiscard]] int64_t green() const;
  [[nodiscard]] int64_t made_by(const std::string& whose) const;
  [[nodiscard]] std::vector<DamageTally> by_kind() const;
  [[nodiscard]] bool holds() const { return !captures.empty() && green() == 0 && false_alarms.empty(); }
};

struct DamagedCaptureOptions {
  std::vector<std::filesystem::path> goldens;
  std::vector<std::string> backends;  // whose runs are damaged beside the goldens' recordings
  int64_t captures = 200;
  uint64_t seed = 1;
  std::function<void(size_t, size_t)> progress;  // done, total
};

/// Kinds in turn, goldens in turn, of each its recording and what every backend computes of it; the same options damage the same files.
[[nodiscard]] DamagedCaptureStudy run_damaged_captures(const DamagedCaptureOptions& options);

}  // namespace parity::faults
