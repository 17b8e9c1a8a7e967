// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Interprets --candidate and describes the candidate's first divergence.
#pragma once

#include <string>

#include "compare/goldens/golden_run.hpp"

namespace parity::cli {

/// Sets the candidate in `options`. Error{usage} for an unknown word, Error{device} for a backend this build lacks.
void set_candidate(const std::string& candidate, compare::RunOptions& options);

/// Describes the wrong values of the first divergence, if one known kind of damage fits them.
void say_values(const std::string& golden, const compare::RunOptions& options, compare::GoldenReport& report);
/// Fills the explanation of the first divergence and the causes in `report`: known faults, then fitted causes.
/// Does nothing where the candidate only rounds differently. The time limit is that of the run, at least 30 seconds.
void explain_divergence(const std::string& golden, const compare::RunOptions& options, compare::GoldenReport& report);
/// Adds a note to `report` that lists the faults of the catalogue that this golden would not have shown.
void say_power(const std::string& golden, const compare::RunOptions& options, compare::GoldenReport& report);

}  // namespace parity::cli
