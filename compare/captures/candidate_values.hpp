// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Source of a candidate's values: a recording, a recording with changed taps, or a computation.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "compare/goldens/golden_run.hpp"
#include "compare/values/with_terms.hpp"
#include "replay/captures/overlay.hpp"
#include "replay/execution/execution.hpp"
#include "replay/runs/recording.hpp"

namespace parity::compare {

struct CandidateValues {
  const replay::Recording& golden;
  const replay::Recording& recording;                        // the golden, or a capture of its run
  std::optional<replay::Overlay> overlay{};                  // changed taps over `recording`
  std::shared_ptr<const replay::Computation> computation{};  // computes from the golden's inputs
  std::optional<replay::Execution> isolated{};               // runs `computation`; absent if it computes no tap
  std::set<std::string> between_ranks{};                     // taps that the candidate computes beside recorded ones
  std::optional<WithTerms> with_terms{};                     // `recording` with those that `isolated` computes
  std::set<std::string> inner{};                             // taps inside the candidate's fused kernels

  struct Recordings {
    const replay::Recording &golden, &judged;
  };
  /// `plan` is the golden's plan without a hypothesis. All arguments must outlive this object.
  CandidateValues(const golden::Golden& golden, const RunOptions& options, const Plan& plan,
                  const Recordings& recordings);
  CandidateValues(const CandidateValues&) = delete;
  CandidateValues& operator=(const CandidateValues&) = delete;

  /// Returns the values that an isolated walk judges.
  [[nodiscard]] const replay::TapSource& values() const;
  /// Returns an execution of the computation on its own values: chained, or forced with the golden's decisions.
  [[nodiscard]] replay::Execution executed(Mode mode) const;
  /// Walks the communicator's rank as the execution does; see replay::walk_rank.
  [[nodiscard]] replay::RankResults walk_rank(bool forced, ranks::Communicator& communicator) const;
  /// Returns the sources that a walk in `mode` reads. A computed candidate reads the golden's inputs in isolated mode
  /// and the golden's decisions in forced mode. `execution` may be nullptr.
  [[nodiscard]] replay::Sources sources(const replay::Execution* execution, Mode mode) const;
  /// Writes a file with the candidate's run: the chained run of a computed candidate, else a copy of its values.
  void save(const golden::Golden& golden, const RunOptions& options) const;

 private:
  [[nodiscard]] replay::Execution::Wanted wanted() const;

  const Plan& plan_;
  replay::RankEngine ranks_;
  replay::Wrap wrap_;
  bool golden_inputs_;  // a capture's nodes read the golden's inputs
};

}  // namespace parity::compare
