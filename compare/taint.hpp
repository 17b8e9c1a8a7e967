// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Decisions that nothing recorded: tokens whose choice was too close to call may differ downstream, legitimately.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "compare/choices.hpp"
#include "core/plan.hpp"
#include "core/registry.hpp"

namespace parity::compare {

class Taint {
 public:
  Taint(const Plan& plan, const Registry& registry);

  void clear() { events_.clear(); }
  /// Remembers the rows of an unrecorded decision that a correct implementation may have made otherwise.
  void add(const replay::Outcome& outcome, const std::string& field);
  /// Per element of a tap of `node`; empty when nothing reaches it. Attention between the decision and the tap spreads
  /// the doubt to later tokens of the sequence.
  [[nodiscard]] std::vector<bool> elements(const Node& node, const TapInfo& tap, const std::vector<int>* span) const;
  /// How many tokens, of all calls, the decisions before `node` reach: by so many a count of tokens may differ.
  [[nodiscard]] int64_t reach(const Node& node, const std::vector<int>* span) const;

 private:
  struct Event {
    int node;
    int step;
    std::set<std::pair<int64_t, int64_t>> tokens;  // (b, s)
  };
  /// Per (b, s) of a call: whether a decision reaches that token before node `index`.
  [[nodiscard]] std::vector<bool> tokens(int step, int index, const std::vector<int>* span) const;
  [[nodiscard]] bool mixes_between(int from, int to, const std::vector<int>* span) const;
  [[nodiscard]] int index_of_node(const Node& node) const { return static_cast<int>(&node - plan_.nodes.data()); }

  const Plan& plan_;
  /// Rows of the caches were chosen anew between two calls: a sequence afterwards is not the one that had its number before.
  [[nodiscard]] bool rows_change(int from_step, int to_step) const;

  std::vector<bool> mixing_;  // nodes that read other tokens
  std::set<int> row_edits_;   // steps
  std::vector<Event> events_;
};

}  // namespace parity::compare
