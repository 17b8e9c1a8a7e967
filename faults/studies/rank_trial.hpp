// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One fault of ranks in one layout of a golden, with the judge's verdict.
#pragma once

#include <set>

#include "compare/goldens/golden_run.hpp"
#include "faults/studies/rank_study.hpp"
#include "golden/golden.hpp"
#include "replay/execution/execution.hpp"
#include "replay/runs/recording.hpp"

namespace parity::faults {

/// A golden divided among ranks, with what the candidate without a fault computes. Threads may use it at once.
class RankGround {
 public:
  /// Throws Error{unsupported} if the package refuses the layout.
  RankGround(const std::filesystem::path& golden, const Layout& layout, std::string backend);
  RankGround(const RankGround&) = delete;
  RankGround& operator=(const RankGround&) = delete;

  [[nodiscard]] const golden::Golden& golden() const { return golden_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] replay::Computation computation(const Edited& edited) const;
  /// Returns the report on the candidate without a fault.
  [[nodiscard]] compare::GoldenReport judged() const;
  /// Returns the report on a computation in one mode.
  [[nodiscard]] compare::GoldenReport judged(const replay::Computation& computation, const std::string& word,
                                             compare::Mode mode) const;
  /// The first tap, in the order of the plan, that differs from the candidate without a fault. Names have no ranks.
  struct Change {
    std::string tap;
    std::set<std::string> beside;  // all results of its node
    std::vector<int64_t> ranks;    // at which it differs
  };
  /// Compares the whole run for a fault of messages, else the nodes of the fault alone.
  [[nodiscard]] Change changed(const Edited& edited) const;
  /// The mode in which the whole model runs.
  [[nodiscard]] compare::Mode whole() const;

 private:
  [[nodiscard]] bool wanted(const std::string& tap) const;

  golden::Golden golden_;
  Layout layout_;
  std::string backend_;
  Plan plan_;
  replay::Recording recording_;
  std::set<std::string> between_;  // taps that only ranks have, and those that they exchange
};

/// Plants the fault; `tap` of the trial stays empty if it has no place or no effect there.
[[nodiscard]] RankTrial run_rank_trial(const Fault& fault, const RankTarget& target, const RankGround& ground);

}  // namespace parity::faults
