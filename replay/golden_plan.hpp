// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// From a golden to its plan.
#pragma once

#include <string>

#include "core/plan.hpp"
#include "core/weights.hpp"
#include "golden/golden.hpp"

namespace parity::replay {

/// The plan of a golden, under its own profile and attention unless others are named; Error{unsupported} for systems and
/// taps that have no plan builder yet.
[[nodiscard]] Plan plan_of(const golden::Golden& golden, const std::string& profile = {},
                           const std::string& attention = {});

/// The tap itself, or the one that it repeats; Error{usage} for a name that the plan of `golden` does not have.
[[nodiscard]] std::string tap_of(const Plan& plan, const std::string& tap, const std::string& golden);

/// Whether the checkpoint holds the decay tables of lightning attention.
[[nodiscard]] bool stores_decays(const WeightSource& weights);

}  // namespace parity::replay
