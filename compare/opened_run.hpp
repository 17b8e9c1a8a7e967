// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A golden and its candidate, opened once: whoever judges it again under another reading of the model starts here.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "compare/capture_facts.hpp"
#include "compare/golden_run.hpp"

namespace parity::compare {

/// A component of a rewritten plan, and the one that it takes the place of.
using StandsFor = std::map<std::string, std::string>;
[[nodiscard]] StandsFor replaced_components(const Plan& before, const Plan& after);

class OpenedRun {
 public:
  /// Both must outlive it. Error when the candidate's taps are not of this golden.
  OpenedRun(const golden::Golden& golden, const RunOptions& options);
  OpenedRun(const OpenedRun&) = delete;
  OpenedRun& operator=(const OpenedRun&) = delete;

  [[nodiscard]] const golden::Golden& golden() const { return golden_; }
  [[nodiscard]] const RunOptions& options() const { return options_; }
  /// The taps that are judged.
  [[nodiscard]] const golden::ActivationFile& file() const { return capture_ ? *capture_ : golden_.activations(); }
  [[nodiscard]] bool is_capture() const { return capture_.has_value(); }
  [[nodiscard]] const MadeCapture& made() const { return made_; }

  /// The golden's plan under a profile; empty: the options', or the golden's own.
  [[nodiscard]] Plan plan(const std::string& profile = {}) const;
  [[nodiscard]] JudgeOptions judge_options(Mode mode, const StandsFor& stands_for) const;
  /// Whether the candidate computed this tap itself.
  [[nodiscard]] bool is_own(const Record& record, const StandsFor& stands_for) const;

 private:
  const golden::Golden& golden_;
  const RunOptions& options_;
  std::optional<golden::ActivationFile> capture_;
  Implementation implementation_;
  MadeCapture made_;
};

[[nodiscard]] std::string candidate_name(const RunOptions& options);

}  // namespace parity::compare
