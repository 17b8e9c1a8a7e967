// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One chain of a plan against one fusion.
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
  std::vector<int> nodes;  // by part
  Node fused;              // the node in their place, at the last one's
  std::set<std::string> inner;
};

/// Who reads each tap.
[[nodiscard]] std::map<std::string, std::set<int>> readers_of(const Plan& plan);

/// The chain that ends in node `last`, if there is one; see fused().
[[nodiscard]] std::optional<Chain> chain_at(const Plan& plan, const std::map<std::string, std::set<int>>& readers,
                                            const Registry& components, const Definition& fusion,
                                            const std::vector<FusedPart>& parts, int last);

}  // namespace parity::replay
