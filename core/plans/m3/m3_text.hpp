// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Plan builder for MiniMax-M3: the text decoder, and the vision tower before it where a call has images or videos.
#pragma once

#include "core/plan.hpp"
#include "core/plans/m3/m3_config.hpp"
#include "core/plans/m3/m3_vision_config.hpp"
#include "core/plans/request.hpp"

namespace parity {

/// Builds the plan of all calls of `request`. `vision` may be nullptr if no call has images or videos.
[[nodiscard]] Plan build_m3_text_plan(const M3TextConfig& config, const PlanRequest& request,
                                      const M3VisionConfig* vision = nullptr);

}  // namespace parity
