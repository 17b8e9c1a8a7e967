// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/quantisation.hpp"

#include <algorithm>

#include "core/plans/config_reader.hpp"
#include "core/plans/runtime_names.hpp"

namespace parity {
namespace {

using nlohmann::json;

void replace(std::string& text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  if (at != std::string::npos) text.replace(at, from.size(), to);
}

/// Published names of all members of a weight; a single tensor counts as one member.
std::vector<std::string> members_of(const WeightInfo& info) {
  std::vector<std::string> names;
  for (int64_t member = 0; member < std::max<int64_t>(info.members, 1); ++member) {
    for (std::string name : info.published) {
      replace(name, "{}", std::to_string(member));
      names.push_back(name);
    }
  }
  return names;
}

int64_t blocks(int64_t extent, int64_t size) { return (extent + size - 1) / size; }

/// The node that decodes `info`; declares codes and scales as parameters of the plan.
Node decoder_of(const Quantisation& quantisation, const WeightInfo& info, Plan& plan) {
  Node node;
  node.component = "dequantise";
  node.prefix = "weights/" + runtime_name(plan.system, info.published.front());
  node.step = plan.sizes.begin()->first;
  node.params["exponents"] = quantisation.exponents;
  if (info.held == Held::single) node.rounding["dequantise.out"] = Precision::single;
  const auto names = members_of(info);
  const auto parts = static_cast<int64_t>(names.size());
  const int64_t rows = info.shape[0] * std::max<int64_t>(info.members, 1);
  const auto operand = [&](const char* field, const std::vector<std::string>& published, const Shape& shape) {
    const std::string name = fmt::format("{} of {}", field, node.prefix);
    plan.weights[name] = {published, shape, 0, Held::stored};
    node.inputs[field].push_back({Operand::Kind::weight, name, {}});
  };
  operand("codes", names, {rows, info.shape[1]});
  if (!quantisation.covers(names.front())) return node;
  std::vector<std::string> scales;
  for (const std::string& name : names) scales.push_back(name + "_scale_inv");
  operand("scales", scales,
          {parts * blocks(rows / parts, quantisation.block_rows), blocks(info.shape[1], quantisation.block_columns)});
  return node;
}

}  // namespace

bool Quantisation::covers(const std::string& published) const {
  const std::string dotted = "." + published + ".";
  const auto names = [&](const std::string& module) { return dotted.find("." + module + ".") != std::string::npos; };
  return !names("embed_tokens") && std::none_of(ignored.begin(), ignored.end(), names);
}

Quantisation read_quantisation(const json& config) {
  Quantisation result;
  const json* object = ConfigReader(config).object("quantization_config");
  if (object == nullptr) return result;
  const ConfigReader reader(*object);
  result.present = true;
  const json* method = reader.present("quant_method");
  PARITY_CHECK(method != nullptr && (*method == "mxfp8" || *method == "fp8"), unsupported,
               "config key 'quant_method' is {}; expected \"mxfp8\" or \"fp8\"",
               method == nullptr ? "missing" : method->dump());
  result.exponents = *method == "mxfp8";
  if (!result.exponents) result.block_rows = result.block_columns = 128;
  if (const json* size = reader.present("weight_block_size")) {
    const bool pair = size->is_array() && size->size() == 2 && (*size)[0].is_number_integer() &&
                      (*size)[1].is_number_integer() && (*size)[0] > 0 && (*size)[1] > 0;
    PARITY_CHECK(pair, schema, "config key 'weight_block_size' is {}; expected two positive integers", size->dump());
    result.block_rows = (*size)[0].get<int64_t>();
    result.block_columns = (*size)[1].get<int64_t>();
  }
  for (const char* key : {"modules_to_not_convert", "ignored_layers"}) {
    const json* list = reader.present(key);
    if (list == nullptr) continue;
    const bool names =
        list->is_array() && std::all_of(list->begin(), list->end(), [](const json& n) { return n.is_string(); });
    PARITY_CHECK(names, schema, "config key '{}' is {}; expected a list of module names", key, list->dump());
    for (const json& name : *list) result.ignored.push_back(name.get<std::string>());
  }
  return result;
}

std::string runtime_name(const std::string& system, const std::string& published) {
  std::string name = published;
  const size_t expert = name.find("{}");
  if (expert != std::string::npos) name.replace(expert, 2, "0");  // all experts are stored in one tensor
  const auto place = RuntimeNames::of(system).find(name);
  if (place) name = place->name;
  if (name.ends_with(".weight")) name.resize(name.size() - std::string(".weight").size());
  return name;
}

void add_dequantise_nodes(const Quantisation& quantisation, Plan& plan) {
  std::vector<Node> nodes;
  for (const auto& [name, info] : std::map<std::string, WeightInfo>(plan.weights)) {
    if (info.shape.size() != 2) continue;  // norms and biases are not quantised
    Node node = decoder_of(quantisation, info, plan);
    Shape shape = info.shape;
    if (info.members > 0) shape.insert(shape.begin(), info.members);
    const TapType type = info.held == Held::single ? TapType::single : TapType::working;
    plan.taps[node.prefix] = {info.members > 0 ? "E,N,K" : "N,K", shape, type, static_cast<int>(nodes.size())};
    node.outputs["out"] = {Operand::Kind::tap, node.prefix, {}};
    nodes.push_back(std::move(node));
  }
  for (auto& [name, tap] : plan.taps) {
    if (tap.producer >= 0 && !name.starts_with("weights/")) tap.producer += static_cast<int>(nodes.size());
  }
  plan.nodes.insert(plan.nodes.begin(), nodes.begin(), nodes.end());
}

}  // namespace parity
