// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Runs a plan for several ranks, each on its own values.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>

#include "ranks/thread_communicator.hpp"
#include "ranks/traffic.hpp"
#include "replay/execution/node_runner.hpp"

namespace parity::replay {

/// Whether the nodes of the plan belong to more than one rank.
[[nodiscard]] bool has_ranks(const Plan& plan);

/// A communicator around that of a rank.
using Wrap = std::function<std::unique_ptr<ranks::Communicator>(ranks::Communicator&)>;

/// What the walk of one rank needs besides its communicator. All members must outlive the walk.
struct RankedWalk {
  const Computation& computation;
  const TapSource& source;  // the plan's inputs; with `forced` also the decisions that later nodes read
  NodeRunner::Wanted wanted;
  bool forced = false;
  Wrap wrap{};  // what a rank's messages pass through; empty: nothing
};

/// What one rank computed: the wanted taps of its nodes, the nodes that its kernels refused, and what it sent.
struct RankResults {
  Results taps;
  std::map<std::string, std::string> refused;
  ranks::LinkCounts links;
  Moved moved{};  // between places
};

/// The tag of the messages with each tap. An all_reduce sends under that of its first operand.
[[nodiscard]] std::map<std::string, int> message_tags(const Plan& plan);

/// Runs every rank of a walk and returns what all computed.
using RankEngine = std::function<RankResults(const RankedWalk&)>;

/// Whoever waits for so long waits for a rank that hangs.
constexpr std::chrono::minutes kPatience{10};

/// Walks the nodes of the communicator's rank in the order of the plan. A tap of another rank is received from it; sums
/// over ranks are the communicator's, unless a fault is planted there; of the parts of other collectives only the rows
/// pass that these declare (row_exchange.hpp).
[[nodiscard]] RankResults walk_rank(const RankedWalk& walk, ranks::Communicator& communicator);

/// Walks all ranks, each on a thread of its own; see ranks::run_threads.
[[nodiscard]] RankResults walk_ranks(const RankedWalk& walk, std::chrono::milliseconds timeout,
                                     const ranks::Hung& hung = &ranks::end_process);

}  // namespace parity::replay
