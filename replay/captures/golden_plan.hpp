// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Makes the plan of a golden.
#pragma once

#include <string>

#include "core/plan.hpp"
#include "core/weights.hpp"
#include "golden/golden.hpp"

namespace parity::replay {

/// Returns the plan of a golden. An empty `profile` or `attention` means the golden's. Throws Error{unsupported} for
/// systems and taps without a plan builder.
[[nodiscard]] Plan plan_of(const golden::Golden& golden, const std::string& profile = {},
                           const std::string& attention = {});

/// Returns the tap, or the tap of which it is an alias. Throws Error{usage} for a name that the plan of `golden` lacks.
[[nodiscard]] std::string tap_of(const Plan& plan, const std::string& tap, const std::string& golden);

/// Whether the checkpoint contains the decay tables of lightning attention.
[[nodiscard]] bool stores_decays(const WeightSource& weights);

}  // namespace parity::replay
