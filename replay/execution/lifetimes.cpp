// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/execution/lifetimes.hpp"

#include <numeric>

namespace parity::replay {

std::vector<int> all_nodes(const Plan& plan) {
  std::vector<int> all(plan.nodes.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::map<std::string, int> last_uses(const Plan& plan, const std::vector<int>& nodes) {
  std::map<std::string, int> uses;
  for (const int node : nodes) {
    for (const auto& [field, list] : plan.nodes[static_cast<size_t>(node)].inputs) {
      for (const Operand& operand : list) {
        if (operand.kind == Operand::Kind::tap) uses[operand.name] = node;
      }
    }
  }
  return uses;
}

void keep_outputs(Outcome& outcome, Environment& taps) {
  for (auto& [field, value] : outcome.outputs) taps[outcome.node->outputs.at(field).name] = std::move(value);
}

}  // namespace parity::replay
