// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A golden to be damaged: its judged taps, and the data that corruptions read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compare/judging/record.hpp"
#include "core/plan.hpp"
#include "faults/values/corruption.hpp"
#include "golden/golden.hpp"
#include "replay/runs/evaluator.hpp"
#include "replay/runs/recording.hpp"
#include "replay/spans/span.hpp"

namespace parity::faults {

/// An opened golden. Several threads may use it at once.
class Fixture {
 public:
  explicit Fixture(const std::filesystem::path& golden);
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;

  [[nodiscard]] const golden::Golden& golden() const { return golden_; }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] const replay::Recording& recording() const { return recording_; }
  /// Returns the recorded outputs of the plan in plan order, without tokens/ and exact/.
  [[nodiscard]] const std::vector<Target>& targets() const { return targets_; }
  [[nodiscard]] Material material(const Target& target, Needs needs, Draws& draws) const;

 private:
  [[nodiscard]] Tensor tolerance(const std::string& tap) const;

  golden::Golden golden_;
  Plan plan_;
  replay::Evaluator evaluator_;
  replay::Recording recording_;
  std::vector<replay::Span> spans_;
  std::vector<Target> targets_;
};

/// Describes why the report of a correct candidate is not green. Returns "" if it is.
[[nodiscard]] std::string alarm_of(const compare::GoldenReport& report);

}  // namespace parity::faults
