// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Where a candidate's values are: in a recording, in one with changes, or still to be computed.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "compare/golden_run.hpp"
#include "replay/execution.hpp"
#include "replay/overlay.hpp"
#include "replay/recording.hpp"

namespace parity::compare {

struct CandidateValues {
  const replay::Recording& golden;
  const replay::Recording& recording;                        // the golden, or a capture of its run
  std::optional<replay::Overlay> overlay{};                  // … with changes
  std::shared_ptr<const replay::Computation> computation{};  // of the golden's inputs
  std::optional<replay::Execution> isolated{};               // of it, when it computes anything of this golden
  std::set<std::string> inner{};                             // taps that its fused kernels keep to themselves

  struct Recordings {
    const replay::Recording &golden, &judged;
  };
  /// `plan` is the golden's, without a hypothesis; all must outlive it.
  CandidateValues(const golden::Golden& golden, const RunOptions& options, const Plan& plan,
                  const Recordings& recordings);
  CandidateValues(const CandidateValues&) = delete;
  CandidateValues& operator=(const CandidateValues&) = delete;

  /// What isolated walks judge.
  [[nodiscard]] const replay::TapSource& values() const;
  /// The computation on its own values: chained, or forced along the golden's decisions.
  [[nodiscard]] replay::Execution executed(Mode mode) const;
  /// What a walk reads. A computed candidate has the golden's inputs when it is isolated, and the golden's decisions when it is
  /// forced. `execution` may be absent.
  [[nodiscard]] replay::Sources sources(const replay::Execution* execution, Mode mode) const;
  /// The candidate's own run as a file, regardless of what it was judged on.
  void save(const golden::Golden& golden, const RunOptions& options) const;

 private:
  [[nodiscard]] replay::Execution::Wanted wanted() const;

  const Plan& plan_;
  bool golden_inputs_;  // of a capture's nodes
};

}  // namespace parity::compare
