// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// From a golden to its plan.
#pragma once

#include <string>

#include "core/plan.hpp"
#include "golden/golden.hpp"

namespace parity::compare {

/// The plan of a golden, under its own profile and attention unless others are named; Error{unsupported} for systems and
/// taps that have no plan builder yet.
[[nodiscard]] Plan plan_of(const golden::Golden& golden, const std::string& profile = {},
                           const std::string& attention = {});

/// Tokens of a capture must be the golden's: a verdict on other inputs would be about nothing.
void check_same_tokens(const golden::Golden& golden, const golden::ActivationFile& capture);

}  // namespace parity::compare
