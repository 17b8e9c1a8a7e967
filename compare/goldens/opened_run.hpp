// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A golden and its candidate's file, opened once and judged several times under different assumptions on the model.
#pragma once

#include <map>
#include <string>

#include "compare/captures/candidate_file.hpp"
#include "compare/captures/candidate_values.hpp"
#include "compare/goldens/golden_run.hpp"

namespace parity::compare {

/// Maps a component of a rewritten plan to the component that it replaces.
using StandsFor = std::map<std::string, std::string>;
[[nodiscard]] StandsFor replaced_components(const Plan& before, const Plan& after);

class OpenedRun {
 public:
  /// Opens the candidate's file. Both arguments must outlive this object. Throws if the taps are not of this golden.
  OpenedRun(const golden::Golden& golden, const RunOptions& options);
  OpenedRun(const OpenedRun&) = delete;
  OpenedRun& operator=(const OpenedRun&) = delete;

  [[nodiscard]] const golden::Golden& golden() const { return golden_; }
  [[nodiscard]] const RunOptions& options() const { return options_; }
  [[nodiscard]] const CandidateFile& file() const { return file_; }
  [[nodiscard]] const WeightSource& weights() const { return file_.weights_or(golden_.parameters()); }
  /// Returns the golden's plan under `profile`. If empty, the options' profile is used, or else the golden's.
  [[nodiscard]] Plan plan(const std::string& profile = {}) const;
  /// Returns the golden's recording, or the capture's as the capture declares it.
  [[nodiscard]] replay::Recording recording(const replay::Recording& goldens, const Plan& plan) const;
  [[nodiscard]] JudgeOptions judge_options(Mode mode, const StandsFor& stands_for) const;

 private:
  const golden::Golden& golden_;
  const RunOptions& options_;
  CandidateFile file_;
};

/// The options of the command line that divide a model so: " --tp 2 --dp 2"; empty for one rank.
[[nodiscard]] std::string layout_options(const Layout& layout);
[[nodiscard]] std::string candidate_name(const RunOptions& options);
/// Returns the policy of the options. By default it is bits for recordings of the oracle and for the reference, with or
/// without a fault, and bounds for all other candidates.
[[nodiscard]] Policy policy_of(const RunOptions& options);

}  // namespace parity::compare
