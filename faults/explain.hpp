// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// After a failure: which known fault, planted in the reference, gives what the candidate has?
#pragma once

#include <string>
#include <vector>

#include "compare/golden_run.hpp"
#include "faults/fault.hpp"

namespace parity::faults {

struct Explanation {
  const Fault* fault = nullptr;
  bool everywhere = true;  // else only at the nodes that fail
  int64_t explained = 0;   // failing taps that it accepts
  int64_t failing = 0;     // of so many
  double residual = 0.0;   // share of the budget that is left with the fault
  double bit_equal = 0.0;  // share of its elements with the very bits of the faulty reference
};

/// "equals the reference with <title> (<id>): 12 of 12 failing taps, 3 % of the budget left"
[[nodiscard]] std::string text_of(const Explanation& explanation);

/// The reference with that fault, to judge a candidate against.
[[nodiscard]] compare::Hypothesis hypothesis_of(const Fault& fault);

/// Faults that reproduce `report`'s first divergence to rounding and break nothing that passed, best first; none: no known
/// fault fits. `report` is of a run with `options`; its isolated records count.
[[nodiscard]] std::vector<Explanation> explain(const golden::Golden& golden, const compare::RunOptions& options,
                                               const compare::GoldenReport& report);

}  // namespace parity::faults
