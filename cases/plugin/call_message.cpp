// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/call_message.hpp"

#include <variant>

namespace parity::cases {
namespace {

using Json = nlohmann::json;

DescribedKernel described_kernel(const Json& entry) {
  DescribedKernel kernel{entry.at("component").get<std::string>(), {}};
  for (const Json& word : entry.at("types")) {
    const auto type = parse_dtype(word.get<std::string>());
    PARITY_CHECK(type.has_value(), usage, "its kernel of {} names the type '{}'; use f32, bf16 or f16",
                 kernel.component, word.get<std::string>());
    kernel.types.push_back(*type);
  }
  PARITY_CHECK(!kernel.types.empty(), usage, "its kernel of {} names no type; use f32, bf16 or f16", kernel.component);
  return kernel;
}

Json operands(const Arena& arena) {
  Json list = Json::array();
  for (const PlacedView& placed : arena.views())
    list.push_back({{"name", placed.name},
                    {"dtype", to_string(placed.view.dtype)},
                    {"axes", placed.view.axes},
                    {"shape", placed.view.shape},
                    {"strides", placed.view.strides},
                    {"offset", placed.offset}});
  return list;
}

Json gaps(const Arena& arena) {
  Json list = Json::array();
  for (const auto& [offset, bytes] : arena.gaps()) list.push_back({offset, bytes});
  return list;
}

}  // namespace

Described described(const Json& answer) {
  try {
    PARITY_CHECK(answer.at("protocol") == 1, usage, "it speaks version {} of the protocol, and this program version 1",
                 answer.at("protocol").dump());
    Described all{answer.value("name", ""), {}};
    for (const Json& entry : answer.at("kernels")) all.kernels.push_back(described_kernel(entry));
    PARITY_CHECK(!all.kernels.empty(), usage, "it has no kernels");
    return all;
  } catch (const Json::exception& error) {
    throw Error(ErrorCode::usage, fmt::format("its description is not as docs/plugins.md has it: {}", error.what()));
  }
}

void place_inputs(const ProcessCall& call, Arena& arena, std::vector<Tensor>& members) {
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const std::string& field = call.definition.inputs[i].name;
    for (const TensorView& view : call.inputs[i].tensors) {
      if (!view.empty()) arena.place(field, view);
    }
    const WeightBank* bank = call.inputs[i].bank;
    for (int64_t member = 0; bank != nullptr && member < bank->size(); ++member)
      arena.place(field, members.emplace_back(bank->member(member)).view());
  }
}

void place_outputs(const ProcessCall& call, Arena& arena) {
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    for (const TensorView& view : call.outputs[i].tensors) {
      if (!view.empty()) arena.place(call.definition.outputs[i].name, view);
    }
  }
}

Json call_message(const ProcessCall& call, uint64_t id, const Arena& inputs, const Arena& outputs) {
  Json params = Json::object();
  for (const auto& [name, value] : call.definition.defaults)
    std::visit([&](auto number) { params[name] = number; }, value);
  for (const auto& [name, value] : call.params) std::visit([&](auto number) { params[name] = number; }, value);
  return {{"do", "call"},
          {"id", id},
          {"component", call.definition.name},
          {"working", to_string(call.working)},
          {"params", params},
          {"inputs", operands(inputs)},
          {"outputs", operands(outputs)},
          {"gaps", {{"inputs", gaps(inputs)}, {"outputs", gaps(outputs)}}}};
}

}  // namespace parity::cases
