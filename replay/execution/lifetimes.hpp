// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Lifetimes of the taps of a walk: until the last node that reads them.
#pragma once

#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "replay/runs/evaluator.hpp"

namespace parity::replay {

[[nodiscard]] std::vector<int> all_nodes(const Plan& plan);
/// Returns for each tap the last of `nodes` that reads it.
[[nodiscard]] std::map<std::string, int> last_uses(const Plan& plan, const std::vector<int>& nodes);

void keep_outputs(Outcome& outcome, Environment& taps);
/// Frees the taps that no node after `index` reads.
template <class Value>
void release(std::map<std::string, Value>& taps, const std::map<std::string, int>& uses, int index) {
  for (auto tap = taps.begin(); tap != taps.end();) {
    const auto use = uses.find(tap->first);
    tap = use != uses.end() && use->second > index ? std::next(tap) : taps.erase(tap);
  }
}

}  // namespace parity::replay
