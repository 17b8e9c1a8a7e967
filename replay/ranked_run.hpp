// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Runs a plan for several ranks, each on its own values.
#pragma once

#include <chrono>

#include "ranks/traffic.hpp"
#include "ranks/communicator.hpp"
#include "replay/node_runner.hpp"

namespace parity::replay {

/// Whether the nodes of the plan belong to more than one rank.
[[nodiscard]] bool has_ranks(const Plan& plan);

/// What the walk of one rank needs besides its communicator. All members must outlive the walk.
struct RankedWalk {
  const Computation& computation;
  const TapSource& source;  // the plan's inputs; with `forced` also the decisions that later nodes read
  NodeRunner::Wanted wanted;
  bool forced = false;
};

/// What one rank computed: the wanted taps of its nodes, the nodes that its kernels refused, and what it sent.
struct RankResults {
  Values taps;
  std::map<std::string, std::string> refused;
  ranks::LinkCounts links;
};

/// Walks the nodes of the communicator's rank in the order of the plan. A tap of another rank is received from it; sums
/// over ranks are the communicator's, unless a fault is planted there.
[[nodiscard]] RankResults walk_rank(const RankedWalk& walk, ranks::Communicator& communicator);

/// Walks all ranks, each on a thread of its own. Throws what the first failing rank threw, with its number.
[[nodiscard]] RankResults walk_ranks(const RankedWalk& walk, std::chrono::milliseconds timeout);

}  // namespace parity::replay
