// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Explains a failure: finds the change of the reference (another release, known fault or fitted edit) that gives the
// candidate's values. Repeats this with the change assumed, until no failure is left or nothing fits.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "compare/goldens/golden_run.hpp"
#include "faults/edits/fault.hpp"

namespace parity::faults {

struct Explanation {
  std::vector<Fault> faults;  // all apply together; empty: only another profile
  std::string profile;        // empty: the run's profile
  bool known = false;         // from the catalogue
  bool everywhere = true;     // false: only at the failing nodes
  std::string tap;            // first failing tap that it explains
  int64_t explained = 0;      // number of failing taps that pass under it
  int64_t failing = 0;        // number of all failing taps
  double residual = 0.0;      // share of the budget used at `tap` under it
  double bit_equal = 0.0;     // share of elements of `tap` with the faulty reference's exact bits
};

/// Returns "matches the reference with this bug: <title> (<id>); explains 12 of 12 failing taps; the error of the first
/// one then uses 3% of the tolerance".
[[nodiscard]] std::string text_of(const Explanation& explanation);
/// Returns the explanation's entries in a report: one for each edit that can be assumed by itself.
[[nodiscard]] std::vector<compare::Cause> causes_of(const Explanation& explanation);

/// Throws Error{usage} if no node of the plan can have one of the faults.
void require_places(const std::vector<Fault>& faults, const Plan& plan);
/// Returns the reference with these faults, as a hypothesis to judge a candidate against.
[[nodiscard]] compare::Hypothesis hypothesis_of(const std::vector<Fault>& faults);
/// Returns the fault that --assume names: a catalogue id or edits in a notation. Error{usage} otherwise (profiles too).
[[nodiscard]] Fault assumed_fault(const std::string& text);

struct ExplainSettings {
  double seconds = 30.0;           // time limit for everything; untried suspects are counted
  std::set<std::string> left_out;  // ids of faults that are treated as unknown
  bool profiles = true;
  bool fits = true;  // also fit edits that are not in the catalogue
  size_t most = 8;   // limit on the number of causes
};

struct Findings {
  std::vector<Explanation> explanations;  // in order; each assumes those before it
  std::vector<std::string> unnamed;       // the first unexplained tap of each component
  int64_t not_tried = 0;                  // number of suspects not tried for lack of time
  int64_t failing = 0, unexplained = 0;   // numbers of taps

  [[nodiscard]] std::vector<compare::Cause> causes() const;
  /// Returns one line on the first divergence, at `tap`. If no cause starts there, `values` describes its values.
  [[nodiscard]] std::string text(const std::string& tap, const std::string& values = {}) const;
};

/// Explains `report`, which must be of a run with `options`. Only isolated records are used.
[[nodiscard]] Findings investigate(const golden::Golden& golden, const compare::RunOptions& options,
                                   const compare::GoldenReport& report, const ExplainSettings& settings);

/// Returns the faults of the catalogue that reproduce the first divergence of `report` to rounding and break no passing
/// tap, best first. Empty if no known fault fits.
[[nodiscard]] std::vector<Explanation> explain(const golden::Golden& golden, const compare::RunOptions& options,
                                               const compare::GoldenReport& report,
                                               const std::set<std::string>& left_out = {});

}  // namespace parity::faults
