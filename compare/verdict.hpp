// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// From records to verdicts.
#pragma once

#include <optional>
#include <vector>

#include "compare/record.hpp"

namespace parity::compare {

/// error over fail over unimplemented over mistrusted over pass; not_recorded when there is nothing.
[[nodiscard]] Status worst_status(const std::vector<Record>& records);

/// The first wrong tap on golden inputs, in plan order; failing that, the first that is right but rounds differently;
/// failing that, the first of a chain.
[[nodiscard]] std::optional<Divergence> first_divergence(const std::vector<Record>& records);

/// What the golden's records and `not_shown` say of the candidate: wrong over not shown over rounds differently.
[[nodiscard]] Answer answer_of(const GoldenReport& golden);

/// Verdict, counts and first divergence of the whole run.
void conclude(RunReport& report);

}  // namespace parity::compare
