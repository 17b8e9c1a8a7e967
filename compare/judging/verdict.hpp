// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Computes verdicts from records.
#pragma once

#include <optional>
#include <vector>

#include "compare/judging/record.hpp"

namespace parity::compare {

/// Returns the worst status: error, then fail, unimplemented, mistrusted, pass; not_recorded if there is no record.
[[nodiscard]] Status worst_status(const std::vector<Record>& records);

/// Whether the values are beyond the bounds, or could not be judged.
[[nodiscard]] bool is_wrong(const Record& record);

/// Returns the first wrong tap on golden inputs, in plan order; without one, the first tap that is right but rounds
/// differently; without one, the first of a chain.
[[nodiscard]] std::optional<Divergence> first_divergence(const std::vector<Record>& records);

/// Returns the answer from the golden's records and `not_shown`: wrong, else not_shown, else rounds_differently.
[[nodiscard]] Answer answer_of(const GoldenReport& golden);

/// Sets verdict, counts and first divergence of the whole run.
void conclude(RunReport& report);

}  // namespace parity::compare
