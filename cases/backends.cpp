// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/backends.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "cases/plugin/plugin.hpp"
#include "optimized/registry.hpp"

namespace parity::cases {

constexpr std::string_view kFused = ":fused";

namespace {

/// "torch:mask" of the variant "bf16-mask".
std::string name_of(const KernelEntry& entry) {
  const size_t dash = entry.variant.find('-');
  return entry.backend + (dash == std::string::npos ? "" : ":" + entry.variant.substr(dash + 1));
}

/// The kernels without fused ones that a name can mean.
const Registry& registry_of(const std::string& backend) {
  return is_plugin(backend) ? Plugin::named(backend).kernels() : optimized::registry_with_libraries();
}

}  // namespace

std::vector<std::string> backends() {
  std::set<std::string> names;
  for (const KernelEntry& entry : optimized::registry_with_libraries().kernels()) names.insert(name_of(entry));
  return {names.begin(), names.end()};
}

std::vector<std::string> candidates() {
  std::vector<std::string> names;
  for (const std::string& backend : backends()) {
    names.push_back(backend);
    if (has_kernels(backend + std::string(kFused))) names.push_back(backend + std::string(kFused));
  }
  return names;
}

bool is_backend(const std::string& candidate) {
  if (is_plugin(candidate)) return true;
  const auto known = backends();
  return std::find(known.begin(), known.end(), candidate) != known.end();
}

bool is_fused(const std::string& candidate) { return candidate.ends_with(kFused) && !is_plugin(candidate); }

std::string without_fused(const std::string& candidate) {
  return is_fused(candidate) ? candidate.substr(0, candidate.size() - kFused.size()) : candidate;
}

bool has_kernels(const std::string& candidate) {
  if (!is_fused(candidate)) return is_backend(candidate);
  const std::string plain = without_fused(candidate);
  const auto& fused = optimized::fusions().kernels().kernels();
  return std::any_of(fused.begin(), fused.end(), [&](const KernelEntry& entry) { return name_of(entry) == plain; });
}

std::string library_of(const std::string& backend) {
  return is_plugin(backend) ? backend : backend.substr(0, backend.find(':'));
}

std::string variant_of(const std::string& backend, DType working) {
  const std::string library = library_of(backend);
  return to_string(working) + (library.size() < backend.size() ? "-" + backend.substr(library.size() + 1) : "");
}

const optimized::Backend* backend_of(const std::string& candidate) {
  return optimized::find_backend(library_of(candidate));
}

void require(const std::string& candidate) {
  if (is_plugin(candidate)) static_cast<void>(Plugin::named(candidate));
  if (const optimized::Backend* backend = backend_of(candidate); backend != nullptr) backend->require();
}

const replay::KernelTable& kernels_of(const std::string& backend, DType working) {
  require(backend);
  static std::mutex mutex;
  static std::map<std::pair<std::string, DType>, replay::KernelTable> known;
  const std::scoped_lock lock(mutex);
  const auto found = known.find({backend, working});
  if (found != known.end()) return found->second;
  auto table = replay::kernel_table(registry_of(backend), library_of(backend), variant_of(backend, working));
  return known.emplace(std::pair{backend, working}, std::move(table)).first->second;
}

NativeKernel native_kernel(const std::string& backend, const std::string& component, DType working) {
  const std::string plain = without_fused(backend);
  const Registry& kernels = is_fused(backend) ? optimized::fusions().kernels() : registry_of(plain);
  const KernelEntry* entry = kernels.find(component, library_of(plain), variant_of(plain, working));
  return {entry, entry == nullptr ? nullptr : &kernels.component(component)};
}

}  // namespace parity::cases
