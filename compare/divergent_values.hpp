// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the wrong values of a judged tap are: the matcher (value_match.hpp) on what a walk finds.
#pragma once

#include <optional>
#include <vector>

#include "compare/golden_run.hpp"
#include "compare/value_match.hpp"

namespace parity::compare {

/// Inputs of the finding's node with as many elements as the tap, also in the order of its axes.
[[nodiscard]] std::vector<OtherTensor> inputs_of(const replay::Finding& finding, const AxisSizes& sizes);

/// For one recorded tap and the reference's values; `values` as an Observer gets them, nullptr for ids and integers.
[[nodiscard]] std::optional<ValueMatch> match_finding(const replay::Finding& finding, const Values* values,
                                                      const AxisSizes& sizes, std::vector<OtherTensor> others);

/// Of the report's first divergence: judges that span again. `report` is of a run with `options`.
[[nodiscard]] std::optional<ValueMatch> divergent_values(const golden::Golden& golden, const RunOptions& options,
                                                         const GoldenReport& report);

}  // namespace parity::compare
