// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The vision tower of MiniMax-M3 with its projector and merger, as part of the plan of a call.
#pragma once

#include <string>

#include "core/plans/m3/m3_vision_config.hpp"
#include "core/plans/plan_writer.hpp"
#include "core/plans/profile.hpp"
#include "core/plans/request.hpp"

namespace parity {

/// Writes one run of the tower under "vision/<kind>/" of the current call of `plan`. `text_hidden` is the width of the
/// features. Returns the name of the features' tap, which has one row per placeholder token.
std::string write_m3_tower(PlanWriter& plan, const M3VisionConfig& config, int64_t text_hidden, const Media& media,
                           const Profile& profile);

}  // namespace parity
