// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/registry.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace parity {
namespace {

int index_of(const std::vector<FieldInfo>& fields, const std::string& name, const std::string& component) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const FieldInfo& f) { return f.name == name; });
  PARITY_CHECK(found != fields.end(), internal, "component {} has no operand '{}'", component, name);
  return static_cast<int>(found - fields.begin());
}

}  // namespace

int Definition::input_index(const std::string& field) const { return index_of(inputs, field, name); }

int Definition::output_index(const std::string& field) const { return index_of(outputs, field, name); }

const Definition& Registry::component(const std::string& name) const {
  const auto found = definitions_.find(name);
  PARITY_CHECK(found != definitions_.end(), not_found, "there is no component '{}'{}", name,
               did_you_mean(name, components()));
  return found->second;
}

const KernelEntry& Registry::kernel(const std::string& component, const std::string& backend,
                                    const std::string& variant) const {
  if (const KernelEntry* entry = find(component, backend, variant)) return *entry;
  throw Error(ErrorCode::not_found, fmt::format("component {} has no kernel {}:{}", component, backend, variant));
}

const KernelEntry* Registry::find(const std::string& component, const std::string& backend,
                                  const std::string& variant) const {
  for (const KernelEntry& entry : kernels_) {
    if (entry.component == component && entry.backend == backend && entry.variant == variant) return &entry;
  }
  return nullptr;
}

void Registry::replace(const std::string& component, const std::string& backend, const std::string& variant,
                       ErasedKernel run) {
  const KernelEntry& present = kernel(component, backend, variant);
  kernels_[static_cast<size_t>(&present - kernels_.data())].run = std::move(run);
}

std::vector<std::string> Registry::components() const {
  std::vector<std::string> names;
  for (const auto& [name, definition] : definitions_) names.push_back(name);
  return names;
}

const Definition& Registry::define(Definition definition) {
  const std::string name = definition.name;
  return definitions_.try_emplace(name, std::move(definition)).first->second;
}

void Registry::insert(KernelEntry entry) {
  for (const KernelEntry& present : kernels_) {
    const bool same =
        present.component == entry.component && present.backend == entry.backend && present.variant == entry.variant;
    PARITY_CHECK(!same, internal, "kernel {} {}:{} is registered twice", entry.component, entry.backend, entry.variant);
  }
  kernels_.push_back(std::move(entry));
}

}  // namespace parity
