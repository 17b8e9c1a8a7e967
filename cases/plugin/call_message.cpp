// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/call_message.hpp"

#include <variant>

namespace parity::cases {
namespace {

using Json = nlohmann::json;

using IsType = bool (Json::*)() const noexcept;

/// Returns the value of a key. Throws Error{usage} with the key and `expected` if it is missing or of another type.
const Json& required_key(const Json& object, const char* place, const char* key, IsType is, const char* expected) {
  PARITY_CHECK(object.is_object(), usage, "{} is of type {}; expected an object (docs/plugins.md)", place,
               object.type_name());
  const auto found = object.find(key);
  PARITY_CHECK(found != object.end(), usage, "{} has no key '{}', which is {} (docs/plugins.md)", place, key, expected);
  PARITY_CHECK(((*found).*is)(), usage, "{}: '{}' is of type {}; expected {} (docs/plugins.md)", place, key,
               found->type_name(), expected);
  return *found;
}

DescribedKernel described_kernel(const Json& entry) {
  constexpr const char* kPlace = "an entry of 'kernels' in its description";
  DescribedKernel kernel{required_key(entry, kPlace, "component", &Json::is_string, "a string").get<std::string>(), {}};
  for (const Json& word : required_key(entry, kPlace, "types", &Json::is_array, "a list of strings")) {
    PARITY_CHECK(word.is_string(), usage, "'types' of its kernel of {} has an entry of type {}; expected a string",
                 kernel.component, word.type_name());
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
  constexpr const char* kPlace = "its description";
  const Json& protocol = required_key(answer, kPlace, "protocol", &Json::is_number_integer, "an integer");
  PARITY_CHECK(protocol == 1, usage, "it uses version {} of the protocol; this program needs version 1",
               protocol.dump());
  Described all;
  if (answer.contains("name"))
    all.name = required_key(answer, kPlace, "name", &Json::is_string, "a string").get<std::string>();
  for (const Json& entry : required_key(answer, kPlace, "kernels", &Json::is_array, "a list of objects"))
    all.kernels.push_back(described_kernel(entry));
  PARITY_CHECK(!all.kernels.empty(), usage, "it has no kernels");
  return all;
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
