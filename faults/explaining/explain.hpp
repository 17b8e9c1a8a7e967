// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// After a failure: what, changed in the reference, gives what the candidate has? Another release, a known fault, a fitted
// edit; then the same with it assumed, until nothing is left or nothing fits.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "compare/golden_run.hpp"
#include "faults/edits/fault.hpp"

namespace parity::faults {

struct Explanation {
  std::vector<Fault> faults;  // all at once; none: another profile alone
  std::string profile;        // empty: the run's
  bool known = false;         // of the catalogue
  bool everywhere = true;     // else only at the nodes that fail
  std::string tap;            // the first that fails of it
  int64_t explained = 0;      // failing taps that it accepts
  int64_t failing = 0;        // of so many
  double residual = 0.0;      // share of the budget that is left with it, at that tap
  double bit_equal = 0.0;     // share of its elements with the very bits of the faulty reference
};

/// "equals the reference in which <title> (<id>): 12 of 12 failing taps, 3% of the budget used"
[[nodiscard]] std::string text_of(const Explanation& explanation);
/// Its entries in a report: one for each edit that can be assumed by itself.
[[nodiscard]] std::vector<compare::Cause> causes_of(const Explanation& explanation);

/// Error{usage} for a fault that no node of the plan could have.
void require_places(const std::vector<Fault>& faults, const Plan& plan);
/// The reference with these faults, to judge a candidate against.
[[nodiscard]] compare::Hypothesis hypothesis_of(const std::vector<Fault>& faults);
/// What --assume names: ids of the catalogue, edits as `fault_of_notation` reads them; profiles are no faults. Error{usage}.
[[nodiscard]] Fault assumed_fault(const std::string& text);

struct ExplainSettings {
  double seconds = 30.0;           // for everything; what was not tried is said
  std::set<std::string> left_out;  // ids of faults that are taken for unknown
  bool profiles = true;
  bool fits = true;  // beyond the catalogue
  size_t most = 8;   // causes
};

struct Findings {
  std::vector<Explanation> explanations;  // one after the other, each with those before it assumed
  std::vector<std::string> unnamed;       // taps: of each component without a cause, the first
  int64_t not_tried = 0;                  // suspects, for lack of time
  int64_t failing = 0, unexplained = 0;   // taps

  [[nodiscard]] std::vector<compare::Cause> causes() const;
  /// One line for the first divergence, which is at `tap`; `values` says what is there where no cause does.
  [[nodiscard]] std::string text(const std::string& tap, const std::string& values = {}) const;
};

/// `report` is of a run with `options`; its isolated records count.
[[nodiscard]] Findings investigate(const golden::Golden& golden, const compare::RunOptions& options,
                                   const compare::GoldenReport& report, const ExplainSettings& settings);

/// Faults of the catalogue that reproduce `report`'s first divergence to rounding and break nothing that passed, best
/// first; none: no known fault fits.
[[nodiscard]] std::vector<Explanation> explain(const golden::Golden& golden, const compare::RunOptions& options,
                                               const compare::GoldenReport& report,
                                               const std::set<std::string>& left_out = {});

}  // namespace parity::faults
