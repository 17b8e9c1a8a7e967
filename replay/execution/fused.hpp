// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Finds the nodes of a plan that fused kernels of a backend compute, and makes a plan with one node for each chain.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/fusion.hpp"
#include "core/plan.hpp"
#include "replay/execution/native.hpp"

namespace parity::replay {

struct FusedChain {
  std::string fusion;
  std::vector<std::string> nodes;  // prefixes of the replaced nodes, in plan order
  std::vector<std::string> inner;  // taps that are no longer written
  std::vector<std::string> outputs;
};

/// The fused kernels of one backend and working type.
struct FusionSet {
  const Fusions& fusions;
  std::string backend, variant;
};

struct FusedPlan {
  Plan plan;
  std::map<std::string, KernelTable::Entry> kernels;  // key: fusion
  std::vector<FusedChain> chains;
};

/// Replaces chains of nodes by fused nodes, longer chains first. A chain is replaced only if its parts are linked as in
/// the fusion, under matching axes; no other node reads an inner tap, and no alias names it; no node between its parts
/// reads one of its outputs; its parameters are those of the kernel; it is within one call; every output is `recorded`,
/// since the chain could not be judged otherwise; and no node has an output in `apart`. Inner taps and their nodes are
/// removed.
[[nodiscard]] FusedPlan fused(const Plan& plan, const Registry& components, const FusionSet& set,
                              const std::function<bool(const std::string&)>& recorded,
                              const std::set<std::string>& apart = {});

}  // namespace parity::replay
