// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Plan builder for MiniMax-M3 as NVIDIA NeMo Automodel computes it: calls without a cache, routing weights inside the
// experts, one block list per index head.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/plan.hpp"
#include "core/plans/request.hpp"

namespace parity {

/// Builds the plan of `request`. Throws Error{unsupported} for calls with a cache and configurations that NeMo refuses.
[[nodiscard]] Plan build_nemo_m3_plan(const nlohmann::json& config, const PlanRequest& request);

}  // namespace parity
