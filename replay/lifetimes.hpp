// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How long the taps of a walk are kept: until the last node that reads them.
#pragma once

#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "replay/evaluator.hpp"

namespace parity::replay {

[[nodiscard]] std::vector<int> all_nodes(const Plan& plan);
/// Last node that reads each tap, of those in `nodes`.
[[nodiscard]] std::map<std::string, int> last_uses(const Plan& plan, const std::vector<int>& nodes);

void keep_outputs(Outcome& outcome, Environment& taps);
/// Frees what no node after `index` reads.
template <class Value>
void release(std::map<std::string, Value>& taps, const std::map<std::string, int>& uses, int index) {
  for (auto tap = taps.begin(); tap != taps.end();) {
    const auto use = uses.find(tap->first);
    tap = use != uses.end() && use->second > index ? std::next(tap) : taps.erase(tap);
  }
}

}  // namespace parity::replay
