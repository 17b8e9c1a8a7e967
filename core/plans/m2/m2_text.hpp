// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Plan builder for MiniMax-M2.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/plan.hpp"
#include "core/plans/request.hpp"

namespace parity {

/// Builds the plan of all calls of `request`. The profile decides whether the key rotary_dim of `config` is read.
[[nodiscard]] Plan build_m2_text_plan(const nlohmann::json& config, const PlanRequest& request);

}  // namespace parity
