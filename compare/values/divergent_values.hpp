// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Finds where the wrong values of a judged tap come from: applies the matcher (value_match.hpp) to a walk's findings.
#pragma once

#include <optional>
#include <vector>

#include "compare/goldens/golden_run.hpp"
#include "compare/values/value_match.hpp"

namespace parity::compare {

/// Returns the inputs of the finding's node with the tap's number of elements, each also in the tap's order of axes.
[[nodiscard]] std::vector<OtherTensor> inputs_of(const replay::Finding& finding, const AxisSizes& sizes);

/// Matches one recorded tap against the reference. `values` are an Observer's, or nullptr for ids and integers.
/// `marked`: the output held Poison::nan before the kernel ran.
[[nodiscard]] std::optional<ValueMatch> match_finding(const replay::Finding& finding, const Values* values,
                                                      const AxisSizes& sizes, std::vector<OtherTensor> others,
                                                      bool marked = false);

/// Matches the first divergence of `report`, after judging its span again. `report` must be of a run with `options`.
[[nodiscard]] std::optional<ValueMatch> divergent_values(const golden::Golden& golden, const RunOptions& options,
                                                         const GoldenReport& report);

}  // namespace parity::compare
