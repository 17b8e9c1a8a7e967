// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A golden and its candidate's file, opened once: for judging it several times, under other assumptions about the model.
#pragma once

#include <map>
#include <string>

#include "compare/candidate_file.hpp"
#include "compare/candidate_values.hpp"
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
  [[nodiscard]] const CandidateFile& file() const { return file_; }
  [[nodiscard]] const WeightSource& weights() const { return file_.weights_or(golden_.parameters()); }
  /// The golden's plan under a profile; empty: the options', or the golden's own.
  [[nodiscard]] Plan plan(const std::string& profile = {}) const;
  /// The golden's datasets, or the capture's as it declares them.
  [[nodiscard]] replay::Recording recording(const replay::Recording& goldens, const Plan& plan) const;
  [[nodiscard]] JudgeOptions judge_options(Mode mode, const StandsFor& stands_for) const;

 private:
  const golden::Golden& golden_;
  const RunOptions& options_;
  CandidateFile file_;
};

[[nodiscard]] std::string candidate_name(const RunOptions& options);
/// The one that is asked for. Unasked, recordings of the oracle and the reference, faulty or not, claim its bits; whoever
/// brings anything else, bounds.
[[nodiscard]] Policy policy_of(const RunOptions& options);

}  // namespace parity::compare
