// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Matches one chain of a plan with one fusion.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/fusion.hpp"
#include "core/plan.hpp"

namespace parity::replay {

struct Chain {
  std::vector<int> nodes;  // index: part
  Node fused;              // the node that replaces the chain, at the index of its last node
  std::set<std::string> inner;
};

/// Returns the nodes that read each tap.
[[nodiscard]] std::map<std::string, std::set<int>> readers_of(const Plan& plan);

/// Returns the chain that ends in node `last`, or nullopt. See fused() for the conditions.
[[nodiscard]] std::optional<Chain> chain_at(const Plan& plan, const std::map<std::string, std::set<int>>& readers,
                                            const Registry& components, const Definition& fusion,
                                            const std::vector<FusedPart>& parts, int last);

}  // namespace parity::replay
