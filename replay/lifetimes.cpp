// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/lifetimes.hpp"

#include <iterator>
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

void release(Environment& taps, const std::map<std::string, int>& uses, int index) {
  for (auto tap = taps.begin(); tap != taps.end();) {
    const auto use = uses.find(tap->first);
    tap = use != uses.end() && use->second > index ? std::next(tap) : taps.erase(tap);
  }
}

}  // namespace parity::replay
