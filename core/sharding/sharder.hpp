// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The state of a rewrite of one plan for several ranks. Names of taps are those of the single plan, or of taps made from
// them, without the prefix of a rank.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/registry.hpp"
#include "core/sharding/local_axes.hpp"

namespace parity {

class Sharder {
 public:
  Sharder(const Plan& single, const Layout& layout, const ShardRules* rules, const Registry& components)
      : single_(single), layout_(layout), rules_(rules), components_(components) {}

  Plan run();

 private:
  [[nodiscard]] Shares held(const std::string& tap) const;
  [[nodiscard]] std::string local(const std::string& tap, int64_t rank) const;
  [[nodiscard]] OwnRanges ranges(const Shares& shares, int64_t rank) const;
  /// Ranks that compute the same as `rank` except for the dimension of such a share.
  [[nodiscard]] std::vector<int64_t> peers(int64_t rank, Share::By by) const;
  void add_inputs();
  /// Declares a rank's part of the single plan's tap `whole`, under the name of `tap`.
  void add_tap(const std::string& tap, const std::string& whole, const Shares& shares, const AxisSizes& call,
               int64_t rank, int producer);
  void add(const Node& node);
  /// Adds a decoder of a quantised parameter: the checkpoint is decoded once, and ranks read parts of the result.
  void add_decoder(const Node& node);
  [[nodiscard]] static bool has_bank(const Node& node);
  /// The package's rule for a parameter. Experts that are divided as wholes have none.
  [[nodiscard]] const ShardRule* rule_for(const Operand& weight) const;
  [[nodiscard]] bool required(const Node& node, const std::string& field) const;
  /// Replaces operands of a field that are divided along a unit, of which the node needs the whole, by gathered ones.
  void gather_operands(Node& node, const std::string& field, const Share& share);
  /// Replaces undivided operands, of which the node needs a part, by parts.
  void cut_operands(Node& node, const NodeShares& shares, const Share& share);
  [[nodiscard]] std::string axes_in(const Operand& operand) const;
  /// The tap of the single plan from which a gathered or cut tap was made.
  [[nodiscard]] std::string origin(const std::string& tap) const;
  /// What is special about a rank's part of a node.
  struct PartOf {
    bool partial = false;  // its outputs are terms of a sum over ranks
    bool experts = false;  // it computes some of the experts
    int run = -1;          // it computes this run of the rank's tokens; -1: all
  };
  void add_part(const Node& whole, const NodeShares& shares, int64_t rank, const PartOf& part);
  /// Replaces the ids of experts by those of each rank, and banks by the rank's experts.
  void localise_experts(Node& node, const Shares& shares);
  [[nodiscard]] Range own_experts(const Node& node, int64_t rank) const;

  // Experts of all data-parallel groups (sharder_dispatch.cpp).
  /// Replaces the tokens of a rank's group, which a node with experts reads, by those of all groups.
  void dispatch_tokens(Node& node, NodeShares& shares);
  /// Replaces an operand by the rows of all groups that are routed to each rank.
  void dispatch_rows(const Node& of, Operand& operand, const Operand& ids, const Share& sequences);
  /// Adds the ranks' terms of an output for the tokens of each rank's group.
  void return_rows(const Node& of, const Operand& output);

  /// The rank's own operand in place of the whole one.
  void localise(Operand& operand, const Shares& divided, const AxisSizes& call, int64_t rank);
  /// Leaves the rank its own members of the banks.
  void take_experts(Node& node, const Range& own);
  [[nodiscard]] Node collective(const Node& of, const std::string& component, const std::string& tap,
                                int64_t rank) const;
  /// Adds the partial sums of a tap over the ranks of each group.
  void reduce(const Node& of, const std::string& tap, const Shares& shares);
  /// Gathers `part` along a share from all ranks that divide it, as `whole`; both are parts of `tap`.
  void gather(const Node& of, const std::string& part, const std::string& whole, const std::string& tap,
              const Share& share);
  void regather(const Node& of, const std::string& tap, const NodeShares& shares);
  /// Cuts each rank's part out of a tap that all ranks hold.
  void cut(const Node& of, const std::string& tap, const std::string& part, const Share& share);
  /// Cuts the rows from `first` on out of a rank's `tap`. They are its `shares` of the single plan's tap; the last of
  /// these is the one along the rows.
  void cut_rows(const Node& of, const std::string& tap, const std::string& rows, const Shares& shares, int64_t rank,
                int64_t first);

  // Tokens (sharder_tokens.cpp): a context-parallel rank may hold two runs of them.
  /// How a tap is divided, or is to be: the tokens are divided where the first layer reads them.
  [[nodiscard]] Shares wanted(const std::string& tap) const;
  /// Throws Error{unsupported} if a layer's node needs all tokens to write any, and is not a cache.
  void require_tokens(const Node& node, const NodeShares& shares) const;
  /// The share of the tokens, if the node numbers its queries one after the other; else nullptr.
  [[nodiscard]] const Share* numbered_tokens(const Node& node, const NodeShares& shares) const;
  /// Adds a rank's part of a node whose queries are numbered: a node for each run, and the runs joined.
  void add_runs(const Node& whole, const NodeShares& shares, const Share& tokens, int64_t rank);
  /// The taps that hold the runs of a rank's `tap`, by the first index; cuts them if there are several.
  [[nodiscard]] std::map<int64_t, std::string> runs_of(const Node& of, const std::string& tap, const Share& share,
                                                       int64_t rank);
  /// Puts the runs of a rank's part together, as `tap`.
  void join_runs(const Node& of, const std::string& tap, const Shares& shares, const Share& tokens, int64_t rank);
  [[nodiscard]] std::string gather_component(const std::string& tap) const;
  [[nodiscard]] bool is_ids(const std::string& tap) const { return is_integer(single_.tap(tap).type); }
  /// Whether the taps that a cache consists of are divided as the cache is.
  [[nodiscard]] bool alike(const std::string& cache, const std::vector<HistoryPart>& parts) const;
  /// Aliases and caches of one rank.
  void add_names(int64_t rank);

  const Plan& single_;
  const Layout& layout_;
  const ShardRules* rules_;
  const Registry& components_;
  Plan plan_;
  std::map<std::string, Shares> shares_;        // by tap of the single plan, or of one made from it
  std::map<std::string, std::string> origins_;  // tap of the single plan from which a tap was made
};

}  // namespace parity
