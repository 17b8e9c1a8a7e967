// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/worker/library.hpp"

#include <array>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <dlfcn.h>

namespace parity::worker {
namespace {

using Json = nlohmann::json;

DLDataType data_type(const std::string& name) {
  static const std::vector<std::pair<std::string, DLDataType>> types{
      {"f64", {kDLFloat, 64, 1}},  {"f32", {kDLFloat, 32, 1}}, {"f16", {kDLFloat, 16, 1}}, {"bf16", {kDLBfloat, 16, 1}},
      {"e4m3fn", {kDLUInt, 8, 1}}, {"e5m2", {kDLUInt, 8, 1}},  {"i64", {kDLInt, 64, 1}},   {"i32", {kDLInt, 32, 1}},
      {"u8", {kDLUInt, 8, 1}},     {"bool", {kDLBool, 8, 1}}};
  for (const auto& [known, type] : types) {
    if (known == name) return type;
  }
  throw std::runtime_error("unknown type " + name);
}

std::vector<std::string> words(const char* text) {
  std::istringstream stream(text == nullptr ? "" : text);
  std::vector<std::string> all;
  for (std::string word; stream >> word;) all.push_back(word);
  return all;
}

/// The bytes from the first element to behind the last.
Area area_of(const std::string& name, const DLTensor& tensor) {
  const auto* first = static_cast<const std::byte*>(tensor.data);
  Area area{name, first, first};
  int64_t width = tensor.dtype.bits / 8;
  for (int32_t axis = 0; axis < tensor.ndim; ++axis) {
    if (tensor.shape[axis] == 0) return {name, nullptr, nullptr};
    const int64_t reach = (tensor.shape[axis] - 1) * tensor.strides[axis] * width;
    (reach < 0 ? area.begin : area.end) += reach;
  }
  area.end += width;
  return area;
}

parity_parameter parameter(const std::string& name, const Json& value) {
  if (value.is_boolean()) return {name.c_str(), value.get<bool>() ? 1.0 : 0.0, value.get<bool>() ? 1 : 0};
  if (value.is_number_integer()) return {name.c_str(), value.get<double>(), value.get<int64_t>()};
  return {name.c_str(), value.get<double>(), 0};
}

}  // namespace

Library::Library(const std::string& file) {
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  auto* entry = reinterpret_cast<const parity_plugin* (*)()>(dlsym(library, "parity_plugin_v1"));
  if (entry == nullptr)
    throw std::runtime_error("it exports no function parity_plugin_v1; see parity_plugin.h (parity plugin header)");
  plugin_ = entry();
  if (plugin_ == nullptr) throw std::runtime_error("parity_plugin_v1 returned NULL");
  if (plugin_->version != PARITY_PLUGIN_VERSION)
    throw std::runtime_error("it was made for version " + std::to_string(plugin_->version) +
                             " of parity_plugin.h, and this program has version " +
                             std::to_string(PARITY_PLUGIN_VERSION));
}

Json Library::describe() const {
  Json kernels = Json::array();
  for (int32_t i = 0; i < plugin_->num_kernels; ++i) {
    const parity_kernel& kernel = plugin_->kernels[i];
    if (kernel.component == nullptr || kernel.run == nullptr)
      throw std::runtime_error("a kernel has no component or no function");
    kernels.push_back({{"component", kernel.component}, {"types", words(kernel.types)}});
  }
  return {{"ok", true}, {"protocol", 1}, {"name", plugin_->name == nullptr ? "" : plugin_->name}, {"kernels", kernels}};
}

void Library::give_memory(std::unique_ptr<Mapping> inputs, std::unique_ptr<Mapping> outputs) {
  inputs_ = std::move(inputs);
  outputs_ = std::move(outputs);
}

const parity_kernel& Library::kernel(const std::string& component, const std::string& type) const {
  for (int32_t i = 0; i < plugin_->num_kernels; ++i) {
    if (component != plugin_->kernels[i].component) continue;
    for (const std::string& word : words(plugin_->kernels[i].types)) {
      if (word == type) return plugin_->kernels[i];
    }
  }
  throw std::runtime_error("it has no kernel of " + component + " in " + type);
}

Library::Operands Library::operands(const Json& list, const Mapping& memory, const char* side) {
  Operands all;
  std::string before;
  int64_t member = 0;
  for (const Json& entry : list) {
    const auto text = [&](const char* key) { return all.texts.emplace_back(entry.at(key).get<std::string>()).c_str(); };
    const char *name = text("name"), *axes = text("axes"), *type = text("dtype");
    member = before == name ? member + 1 : 0;
    before = name;
    auto& shape = all.extents.emplace_back(entry.at("shape").get<std::vector<int64_t>>());
    auto& strides = all.extents.emplace_back(entry.at("strides").get<std::vector<int64_t>>());
    const DLTensor tensor{memory.at(entry.at("offset").get<size_t>()),
                          {kDLCPU, 0},
                          static_cast<int32_t>(shape.size()),
                          data_type(type),
                          shape.data(),
                          strides.data(),
                          0};
    all.list.push_back({name, axes, type, member, tensor});
    areas_.push_back(area_of(std::string(side) + " '" + name + "'", tensor));
  }
  return all;
}

void Library::call(const Json& question) {
  if (inputs_ == nullptr) throw std::runtime_error("a call came before its memory");
  const auto component = question.at("component").get<std::string>(), type = question.at("working").get<std::string>();
  areas_.clear();
  const Operands inputs = operands(question.at("inputs"), *inputs_, "input");
  const Operands outputs = operands(question.at("outputs"), *outputs_, "output");
  inputs_->protect(question.at("gaps").at("inputs"));
  outputs_->protect(question.at("gaps").at("outputs"));
  std::vector<parity_parameter> parameters;
  std::deque<std::string> names;
  for (const auto& [name, value] : question.at("params").items())
    parameters.push_back(parameter(names.emplace_back(name), value));
  std::array<char, 1024> error{};
  const parity_call call{component.c_str(),
                         type.c_str(),
                         static_cast<int64_t>(inputs.list.size()),
                         inputs.list.data(),
                         static_cast<int64_t>(outputs.list.size()),
                         outputs.list.data(),
                         static_cast<int64_t>(parameters.size()),
                         parameters.data(),
                         nullptr,
                         error.data(),
                         error.size()};
  explain_by(&areas_);
  const int status = kernel(component, type).run(&call);
  explain_by(nullptr);
  error.back() = 0;
  if (status == 0) return;
  throw std::runtime_error(error.front() != 0 ? error.data()
                                              : "it returned " + std::to_string(status) + " and no text");
}

}  // namespace parity::worker
