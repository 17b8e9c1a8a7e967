// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which nodes of a plan a backend's fused kernels compute, and the plan with one node for each chain.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/fusion.hpp"
#include "core/plan.hpp"
#include "replay/native.hpp"

namespace parity::replay {

struct FusedChain {
  std::string fusion;
  std::vector<std::string> nodes;  // prefixes of what it replaces, in plan order
  std::vector<std::string> inner;  // taps that are not written any more
  std::vector<std::string> outputs;
};

/// The fused kernels of one backend and working type.
struct FusionSet {
  const Fusions& fusions;
  std::string backend, variant;
};

struct FusedPlan {
  Plan plan;
  std::map<std::string, KernelTable::Entry> kernels;  // by fusion
  std::vector<FusedChain> chains;
};

/// A chain is replaced where all of this holds: its parts are linked as the fusion says, under axes that agree; nothing else
/// reads an inner tap, and no other name stands for it; no node between its parts reads one of its outputs; parameters are
/// what the kernel knows; all is of one call; and every output is `recorded`, since a chain whose end is not recorded
/// could not be judged. Longer chains go first. Inner taps and their nodes leave the plan.
/// Nodes with an output that is to stay `apart` are in no chain.
[[nodiscard]] FusedPlan fused(const Plan& plan, const Registry& components, const FusionSet& set,
                              const std::function<bool(const std::string&)>& recorded,
                              const std::set<std::string>& apart = {});

}  // namespace parity::replay
