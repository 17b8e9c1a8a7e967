// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/execution/fused.hpp"

#include <algorithm>

#include "replay/execution/chain.hpp"

namespace parity::replay {
namespace {

/// Returns the backend's fused kernels, those with the longest chain first.
std::vector<const KernelEntry*> longest_first(const FusionSet& set) {
  std::vector<const KernelEntry*> entries;
  for (const KernelEntry& entry : set.fusions.kernels().kernels()) {
    if (entry.backend == set.backend && entry.variant == set.variant) entries.push_back(&entry);
  }
  std::stable_sort(entries.begin(), entries.end(), [&](const KernelEntry* a, const KernelEntry* b) {
    return set.fusions.parts(a->component).size() > set.fusions.parts(b->component).size();
  });
  return entries;
}

/// Returns the plan with the last node of each chain replaced by the fused node, and the chain's other nodes removed.
Plan replaced(const Plan& plan, const std::map<int, Chain>& chains) {
  Plan result = plan;
  std::set<int> gone;
  for (const auto& [last, chain] : chains) {
    gone.insert(chain.nodes.begin(), chain.nodes.end());
    for (const std::string& tap : chain.inner) result.taps.erase(tap);
  }
  result.nodes.clear();
  for (int node = 0; node < static_cast<int>(plan.nodes.size()); ++node) {
    const auto end = chains.find(node);
    if (end != chains.end()) {
      result.nodes.push_back(end->second.fused);
    } else if (!gone.contains(node)) {
      result.nodes.push_back(plan.nodes[static_cast<size_t>(node)]);
    }
  }
  for (size_t node = 0; node < result.nodes.size(); ++node) {
    for (const auto& [field, output] : result.nodes[node].outputs)
      result.taps.at(output.name).producer = static_cast<int>(node);
  }
  return result;
}

FusedChain named(const Plan& plan, const Chain& chain) {
  FusedChain result;
  result.fusion = chain.fused.component;
  for (const int node : chain.nodes) result.nodes.push_back(plan.nodes[static_cast<size_t>(node)].prefix);
  result.inner.assign(chain.inner.begin(), chain.inner.end());
  for (const auto& [field, output] : chain.fused.outputs) result.outputs.push_back(output.name);
  return result;
}

}  // namespace

FusedPlan fused(const Plan& plan, const Registry& components, const FusionSet& set,
                const std::function<bool(const std::string&)>& recorded, const std::set<std::string>& apart) {
  FusedPlan result;
  const auto readers = readers_of(plan);
  std::map<int, Chain> chains;
  std::set<int> taken;
  for (int node = 0; node < static_cast<int>(plan.nodes.size()); ++node) {
    for (const auto& [field, output] : plan.nodes[static_cast<size_t>(node)].outputs) {
      if (apart.contains(output.name)) taken.insert(node);
    }
  }
  for (const KernelEntry* entry : longest_first(set)) {
    const Definition& definition = set.fusions.kernels().component(entry->component);
    result.kernels.emplace(entry->component, KernelTable::Entry{definition, entry->run, entry->place});
    for (int last = 0; last < static_cast<int>(plan.nodes.size()); ++last) {
      const auto chain = chain_at(plan, readers, components, definition, set.fusions.parts(entry->component), last);
      if (!chain) continue;
      const auto& nodes = chain->nodes;
      const auto& outputs = chain->fused.outputs;
      const bool free = std::none_of(nodes.begin(), nodes.end(), [&](int node) { return taken.contains(node); });
      const bool seen =
          std::all_of(outputs.begin(), outputs.end(), [&](const auto& output) { return recorded(output.second.name); });
      if (!free || !seen) continue;
      taken.insert(nodes.begin(), nodes.end());
      chains.emplace(last, *chain);
    }
  }
  result.plan = replaced(plan, chains);
  for (const auto& [last, chain] : chains) result.chains.push_back(named(plan, chain));
  return result;
}

}  // namespace parity::replay
