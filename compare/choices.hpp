// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The rows of a discrete output: recorded ids beside the scores that decided them.
#pragma once

#include <vector>

#include "compare/discrete.hpp"
#include "replay/walk.hpp"

namespace parity::compare {

struct ChoiceRow {
  int64_t sequence = 0;  // b
  int64_t token = 0;     // s
  Choice choice;
};

/// One row per list of ids of `field`, in the order of the tap. Scores are the exact lane's; delta is their bound and,
/// when inputs are inherited, kDriftFactor times the row's drift.
[[nodiscard]] std::vector<ChoiceRow> choices_of(const replay::Outcome& outcome, const std::string& field, const AxisSizes& sizes,
                                                bool inherited);

/// Judges ids (i64, rows of T) against the rows; fills status, reason, discrete, worst and where.
void judge_choices(const std::vector<ChoiceRow>& rows, Judge kind, const int64_t* ids, int64_t width, Record& record);

}  // namespace parity::compare
