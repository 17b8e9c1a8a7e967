// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/runs/tap_json.hpp"

#include <nlohmann/json.hpp>

#include "cli/battery/signature_json.hpp"
#include "core/dtype.hpp"

namespace parity::cli {
namespace {

using Json = nlohmann::ordered_json;

Json operand_json(const Plan& plan, const Operand& operand) {
  if (operand.kind == Operand::Kind::tap) return {{"tap", operand.name}, {"seen_as", operand.axes}};
  const WeightInfo& weight = plan.weights.at(operand.name);
  Json json{{"weight", operand.name}, {"published", weight.published}, {"shape", weight.shape}};
  if (operand.kind == Operand::Kind::bank) json.update({{"members", weight.members}, {"first", weight.first_member}});
  return json;
}

}  // namespace

Json tap_json(const Plan& plan, const std::string& tap) {
  const TapInfo& info = plan.tap(tap);
  Json json{{"tap", tap}, {"axes", info.axes}, {"shape", info.shape}, {"dtype", to_string(plan.dtype_of(info.type))}};
  if (info.producer < 0) return json;
  const Node& node = plan.nodes[static_cast<size_t>(info.producer)];
  json["component"] = node.component;
  json["prefix"] = node.prefix;
  json["inputs"] = json["params"] = Json::object();
  for (const auto& [field, operands] : node.inputs) {
    for (const Operand& operand : operands) json["inputs"][field].push_back(operand_json(plan, operand));
  }
  for (const auto& [name, value] : node.params) json["params"][name] = number_json(value);
  return json;
}

}  // namespace parity::cli
