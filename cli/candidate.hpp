// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What --candidate means.
#pragma once

#include <string>

#include "compare/golden_run.hpp"

namespace parity::cli {

/// Error{usage} for an unknown word, Error{device} for a backend that this build lacks.
void set_candidate(const std::string& candidate, compare::RunOptions& options);

/// Says what the values of the first divergence are, where that can be said.
void say_values(const std::string& golden, const compare::RunOptions& options, compare::GoldenReport& report);
/// Fills the explanation of an isolated first divergence: the known fault that fits best, that none does, or that nobody
/// looked because the run took long, with the command that does.
void explain_divergence(const std::string& golden, const compare::RunOptions& options, compare::GoldenReport& report);
/// A note of the faults that would not have shown, where nothing failed.
void say_power(const std::string& golden, const compare::RunOptions& options, compare::GoldenReport& report);

}  // namespace parity::cli
