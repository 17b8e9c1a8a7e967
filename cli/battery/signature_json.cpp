// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/battery/signature_json.hpp"

#include <cmath>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace parity::cli {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(Judge judge) {
  switch (judge) {
    case Judge::value:
      return "value";
    case Judge::expert_set:
      return "expert_set";
    case Judge::block_list:
      return "block_list";
    case Judge::bits:
      return "bits";
    case Judge::exact:
      return "exact";
  }
  return "value";
}

const char* type_of(const ParamValue& value) {
  return std::holds_alternative<bool>(value) ? "bool" : std::holds_alternative<int64_t>(value) ? "int" : "float";
}

Json parameter_json(const std::string& name, const ParamValue& value, const Definition& definition) {
  Json json{{"name", name}, {"type", type_of(value)}, {"default", number_json(value)}};
  const auto among = definition.among.find(name);
  if (among != definition.among.end()) {
    json["among"] = Json::array();
    for (const ParamValue& one : among->second) json["among"].push_back(number_json(one));
  }
  const auto extent = definition.extents.find(name);
  if (extent != definition.extents.end()) json["extent_of"] = std::string(1, extent->second);
  return json;
}

}  // namespace

Json number_json(const ParamValue& value) {
  if (const auto* real = std::get_if<double>(&value); real != nullptr && !std::isfinite(*real))
    return fmt::format("{}", *real);
  return std::visit([](auto plain) { return Json(plain); }, value);
}

Json signature_json(const Definition& definition) {
  Json json{{"name", definition.name}, {"formula", definition.formula}, {"source", definition.source}};
  for (const char* list : {"inputs", "outputs", "params"}) json[list] = Json::array();
  for (const FieldInfo& field : definition.inputs)
    json["inputs"].push_back({{"name", field.name},
                              {"axes", field.axes},
                              {"optional", field.optional},
                              {"integers", are_integers(field.contents)}});
  for (const FieldInfo& field : definition.outputs)
    json["outputs"].push_back(
        {{"name", field.name}, {"axes", field.axes}, {"optional", field.optional}, {"judge", name_of(field.judge)}});
  for (const auto& [name, value] : definition.defaults)
    json["params"].push_back(parameter_json(name, value, definition));
  return json;
}

}  // namespace parity::cli
