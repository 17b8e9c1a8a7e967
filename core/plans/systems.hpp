// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The model systems: one plan builder each.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/plan.hpp"
#include "core/plans/request.hpp"

namespace parity {

struct System {
  std::string name;                      // as goldens call it: "minimax_m3_vl"
  std::vector<std::string> model_types;  // "model_type" of its config.json
  Plan (*build)(const nlohmann::json& config, const PlanRequest& request);
};

[[nodiscard]] const std::vector<System>& systems();
/// Error{unsupported} lists the known systems.
[[nodiscard]] const System& find_system(const std::string& name);
/// The system of a config.json, by its "model_type"; Error{schema} when it is missing or belongs to no system.
[[nodiscard]] const System& system_of(const nlohmann::json& config);

/// The plan of `system` for a config.json. Error{unsupported}: unknown system or profile; Error{schema}: a config key.
[[nodiscard]] Plan build_plan(const std::string& system, const nlohmann::json& config, const PlanRequest& request);

}  // namespace parity
