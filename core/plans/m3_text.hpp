// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Plan builder for the text decoder of MiniMax-M3.
#pragma once

#include "core/plan.hpp"
#include "core/plans/m3_config.hpp"
#include "core/plans/request.hpp"

namespace parity {

[[nodiscard]] Plan build_m3_text_plan(const M3TextConfig& config, const PlanRequest& request);

}  // namespace parity
