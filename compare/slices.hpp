// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Slices of a tap along its axes: which row, head, block or expert is worst, and where the failures are.
#pragma once

#include <string>
#include <vector>

#include "compare/record.hpp"

namespace parity::compare {

/// Coordinates of the flat-th element.
[[nodiscard]] std::vector<int64_t> index_of(int64_t flat, const Shape& shape);
/// "sequence", "token", "head", … for an axis token of the golden format; the token itself when it has no word.
[[nodiscard]] std::string axis_word(const std::string& token);
/// The worst position of every axis, and of the rows (all axes but the last).
[[nodiscard]] std::vector<Slice> worst_slices(const std::vector<double>& budgets, const std::string& axes, const Shape& shape);
/// "all 48 in token=11, head=3, channels 0..15": the box that holds every element over budget.
[[nodiscard]] std::string describe_failures(const std::vector<double>& budgets, const std::string& axes, const Shape& shape);

}  // namespace parity::compare
