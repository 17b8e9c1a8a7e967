// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/systems.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/plans/m2/m2_text.hpp"
#include "core/plans/m3/m3_text.hpp"
#include "core/plans/nemo/nemo_m3.hpp"
#include "core/plans/profile.hpp"
#include "core/plans/text01/text01.hpp"
#include "core/text.hpp"

namespace parity {
namespace {

Plan build_m3(const nlohmann::json& config, const PlanRequest& request) {
  if (find_profile("minimax_m3_vl", request.profile).does("nemo")) return build_nemo_m3_plan(config, request);
  const M3TextConfig text = parse_m3_text_config(config);
  const bool tower =
      std::any_of(request.calls.begin(), request.calls.end(), [](const Call& call) { return !call.media.empty(); });
  if (!tower) return build_m3_text_plan(text, request);
  const M3VisionConfig vision = parse_m3_vision_config(config);
  return build_m3_text_plan(text, request, &vision);
}

Plan build_text01(const nlohmann::json& config, const PlanRequest& request) {
  return build_text01_plan(parse_text01_config(config), request);
}

}  // namespace

const std::vector<System>& systems() {
  static const std::vector<System> list{
      {"minimax_m3_vl", {"minimax_m3_vl", "minimax_m3_vl_text"}, build_m3},
      {"minimax_m2", {"minimax_m2"}, build_m2_text_plan},
      {"minimax_text_01", {"minimax"}, build_text01},
  };
  return list;
}

const System& find_system(const std::string& name) {
  std::vector<std::string> names;
  for (const System& system : systems()) {
    if (system.name == name) return system;
    names.push_back(system.name);
  }
  throw Error(ErrorCode::unsupported, fmt::format("system '{}' is not supported{}; known: {}", name,
                                                  did_you_mean(name, names), fmt::join(names, " ")));
}

const System& system_of(const nlohmann::json& config) {
  std::string given;
  if (config.is_object() && config.contains("model_type") && config["model_type"].is_string())
    given = config["model_type"];
  std::vector<std::string> types;
  for (const System& system : systems()) {
    if (std::count(system.model_types.begin(), system.model_types.end(), given) > 0) return system;
    types.insert(types.end(), system.model_types.begin(), system.model_types.end());
  }
  throw Error(ErrorCode::schema, fmt::format("config key 'model_type' is '{}'{}; expected one of: {}", given,
                                             did_you_mean(given, types), fmt::join(types, " ")));
}

Plan build_plan(const std::string& system, const nlohmann::json& config, const PlanRequest& request) {
  const System& found = find_system(system);
  PARITY_CHECK(request.head == Head::language || system == "minimax_text_01", unsupported,
               "system '{}' has no classification or question head; only minimax_text_01 has", system);
  return found.build(config, request);
}

}  // namespace parity
