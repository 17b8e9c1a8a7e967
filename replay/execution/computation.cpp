// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/execution/computation.hpp"

namespace parity::replay {

const KernelTable::Entry* Computation::kernel_of(const Node& node) const {
  return by_reference.contains(key_of(node)) ? nullptr : kernels.find(node.component);
}

bool Computation::computes(const Node& node) const {
  return kernels.kernels.empty() || kernel_of(node) != nullptr || edited.contains(key_of(node));
}

std::set<std::string> Computation::inner() const {
  std::set<std::string> taps;
  for (const FusedChain& chain : chains) taps.insert(chain.inner.begin(), chain.inner.end());
  return taps;
}

std::map<std::string, size_t> Computation::fused_nodes() const {
  std::map<std::string, size_t> nodes;
  for (size_t chain = 0; chain < chains.size(); ++chain) {
    for (const std::string& node : chains[chain].nodes) nodes[node] = chain;
  }
  return nodes;
}

}  // namespace parity::replay
