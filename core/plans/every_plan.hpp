// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// All plans, for checks of which components a profile needs and whether their operands match.
#pragma once

#include <vector>

#include "core/plan.hpp"

namespace parity {

/// Every kind of plan that a profile and an attention implementation can make of its tiny model: calls with media, edits
/// of the cache, quantised checkpoints, training steps, several processes, and the processors.
[[nodiscard]] std::vector<Plan> every_plan();

}  // namespace parity
