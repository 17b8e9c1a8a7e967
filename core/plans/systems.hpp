// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The model systems, with one plan builder each.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/plan.hpp"
#include "core/plans/request.hpp"

namespace parity {

struct System {
  std::string name;                      // name in goldens: "minimax_m3_vl"
  std::vector<std::string> model_types;  // values of "model_type" in a config.json
  Plan (*build)(const nlohmann::json& config, const PlanRequest& request);
};

[[nodiscard]] const std::vector<System>& systems();
/// The system called `name`. Throws Error{unsupported}, which lists the systems, if there is none.
[[nodiscard]] const System& find_system(const std::string& name);
/// The system of a config.json, by "model_type". Throws Error{schema} if the key is missing or belongs to no system.
[[nodiscard]] const System& system_of(const nlohmann::json& config);

/// The plan of `system` for a config.json. Error{unsupported}: unknown system or profile; Error{schema}: a wrong key.
[[nodiscard]] Plan build_plan(const std::string& system, const nlohmann::json& config, const PlanRequest& request);

}  // namespace parity
