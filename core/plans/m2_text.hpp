// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Plan builder for MiniMax-M2.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/plan.hpp"
#include "core/plans/request.hpp"

namespace parity {

/// The profile decides how the configuration is read (rotary_dim).
[[nodiscard]] Plan build_m2_text_plan(const nlohmann::json& config, const PlanRequest& request);

}  // namespace parity
