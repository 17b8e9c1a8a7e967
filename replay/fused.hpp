// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which nodes of a plan a backend's fused kernels take over, and the plan with one node in the place of each chain.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/fusion.hpp"
#include "core/plan.hpp"

namespace parity::replay {

struct FusedChain {
  std::string fusion;
  std::vector<std::string> nodes;  // prefixes of what it replaces, in plan order
  std::vector<std::string> inner;  // taps that are not written any more
  std::vector<std::string> outputs;
};

struct FusedPlan {
  Plan plan;
  std::shared_ptr<const Registry> registry;  // the fused kernels as "reference:rounded", beside those of the base
  std::vector<FusedChain> chains;
};

/// A chain is replaced where all of this holds: its parts are linked as the fusion says, under axes that agree; nothing else
/// reads an inner tap, and no other name stands for it; no node between its parts reads one of its outputs; parameters are
/// what the kernel knows; all is of one call; and every output is `recorded`, since of a chain whose end nobody recorded
/// nothing could be said. Longer chains go first. Inner taps and their nodes leave the plan.
[[nodiscard]] FusedPlan fused(const Plan& plan, const std::shared_ptr<const Registry>& base, const Fusions& fusions,
                              const std::string& backend, const std::string& variant,
                              const std::function<bool(const std::string&)>& recorded);

}  // namespace parity::replay
