// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a capture says about the run that it recorded, as far as its judgement depends on it.
#pragma once

#include <string>
#include <vector>

#include "golden/golden.hpp"
#include "golden/statements.hpp"

namespace parity::compare {

/// Whose implementation made the values that are judged.
struct Implementation {
  std::string attention;        // eager | sdpa | …: as the attribute names it
  std::string experts;          // eager = a loop over the experts in ascending id
  golden::Statements stated{};  // by a capture, of its components
};

[[nodiscard]] Implementation implementation_of(const golden::Golden& golden);
/// The capture's own attributes, the golden's for those that it lacks. Error{schema} when it is of another system or
/// another working type: nothing could be compared.
[[nodiscard]] Implementation implementation_of(const golden::Golden& golden, const golden::ActivationFile& capture);

/// A capture of another run is refused: one of another format, of another profile than the golden's or the
/// one that is asked for (empty: none is), one that names another golden, that golden's bytes (`golden`,
/// `golden_sha256`), other weights (`seed`) or another config, or that holds calls which the golden does not have.
/// Error{schema} says which.
void check_same_run(const golden::Golden& golden, const golden::ActivationFile& capture, const std::string& profile);

/// The attention under which the plan computes: the implementation's where it is modelled, else the golden's.
[[nodiscard]] std::string planned_attention(const golden::Golden& golden, const Implementation& implementation);
/// Components that this implementation need not round as the plan does: its tiles or its order of sums are its own.
[[nodiscard]] std::vector<std::string> free_rounding(const Implementation& implementation);

}  // namespace parity::compare
