// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Ranks in several processes: rank 0 judges and orders walks, the others serve them.
#pragma once

#include "compare/goldens/golden_run.hpp"
#include "ranks/communicator.hpp"

namespace parity::compare {

/// Of rank 0: every process walks its own rank; returns what all computed. As RunOptions::ranks.
[[nodiscard]] replay::RankResults walk_in_processes(const replay::RankedWalk& walk, const golden::Golden& golden,
                                                    const RunOptions& options, ranks::Communicator& communicator);
/// Of the others: serves the walks that rank 0 orders, until it needs no more. `options` are the same in all processes.
void serve_walks(const RunOptions& options, ranks::Communicator& communicator);
/// Of rank 0: no more walks.
void dismiss_servers(ranks::Communicator& communicator);

/// A number that differs for plans that differ in a node, a tap or a rank.
[[nodiscard]] std::string plan_key(const Plan& plan);

}  // namespace parity::compare
