// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// All plans, for checks of the components that a profile needs and of the operands between them.
#pragma once

#include <vector>

#include "core/plan.hpp"

namespace parity {

/// For every profile and attention implementation, the plans of its tiny model: calls with media, edits of the cache,
/// quantised checkpoints, training steps, several processes, and the processors.
[[nodiscard]] std::vector<Plan> every_plan();

}  // namespace parity
