// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A candidate that computes in this process.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ranks/communicator.hpp"
#include "replay/execution/fused.hpp"
#include "replay/execution/native.hpp"

namespace parity::replay {

/// A candidate described as data: its plan, kernels and weights.
struct Computation {
  std::string name;                             // name of the owner of the kernels, for messages: "cpu"
  Plan plan;                                    // the golden's plan, edited or with fused nodes
  std::shared_ptr<const Registry> registry;     // computes nodes without a kernel, with the oracle's roundings
  std::shared_ptr<const WeightSource> weights;  // the weights that the plan reads
  KernelTable kernels{};                        // empty: the candidate is the reference
  std::vector<FusedChain> chains{};             // chains that one kernel of the table computes
  std::set<std::string> edited{};        // nodes that count as the candidate's even if the reference computes them
  std::set<std::string> by_reference{};  // edited nodes with an edit that no kernel supports
  std::set<std::string> only{};          // requested taps; empty: all recorded ones
  /// Wraps the communicator of each rank; empty: the messages of ranks arrive as they were sent.
  std::function<std::unique_ptr<ranks::Communicator>(ranks::Communicator&)> link{};
  /// Holds the weights at other places than the host for all walks; empty: each walk copies them for itself.
  std::shared_ptr<Residents> residents{};
  std::string lacking{};  // why it can compute nothing of this plan; empty: it can

  /// Returns the key of a node: its first output, because several nodes may share a prefix.
  [[nodiscard]] static const std::string& key_of(const Node& node) { return node.outputs.begin()->second.name; }
  /// Returns the kernel of the table that computes the node, or nullptr.
  [[nodiscard]] const KernelTable::Entry* kernel_of(const Node& node) const;
  /// Whether the candidate computes the node, so that its outputs are not lent.
  [[nodiscard]] bool computes(const Node& node) const;
  /// Returns the taps inside fused kernels, which this candidate does not return.
  [[nodiscard]] std::set<std::string> inner() const;
  /// Returns for each node in a chain the index of the chain.
  [[nodiscard]] std::map<std::string, size_t> fused_nodes() const;
};

}  // namespace parity::replay
