// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Plan builder for MiniMax-Text-01.
#pragma once

#include "core/plan.hpp"
#include "core/plans/request.hpp"
#include "core/plans/text01/text01_config.hpp"

namespace parity {

[[nodiscard]] Plan build_text01_plan(const Text01Config& config, const PlanRequest& request);

}  // namespace parity
