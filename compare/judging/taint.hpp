// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Tracks unrecorded decisions: if a choice is too close to call, later values of its tokens may legitimately differ.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "compare/judging/choices.hpp"
#include "core/plan.hpp"
#include "core/registry.hpp"

namespace parity::compare {

class Taint {
 public:
  Taint(const Plan& plan, const Registry& registry);

  void clear() { events_.clear(); }
  /// Stores the rows of an unrecorded decision in which a correct implementation may choose otherwise.
  void add(const replay::Outcome& outcome, const std::string& field);
  /// Returns for each element of a tap of `node` whether a stored decision affects it; empty if none does. Attention
  /// between the decision and the tap extends the effect to later tokens of the sequence.
  [[nodiscard]] std::vector<bool> elements(const Node& node, const TapInfo& tap, const std::vector<int>* span) const;
  /// Returns how many tokens of all calls the decisions before `node` affect. Token counts may differ by this number.
  [[nodiscard]] int64_t reach(const Node& node, const std::vector<int>* span) const;

 private:
  struct Event {
    int node;
    int step;
    std::set<std::pair<int64_t, int64_t>> tokens;  // pairs (b, s)
  };
  /// Returns for each (b, s) of a call whether a decision affects that token before node `index`.
  [[nodiscard]] std::vector<bool> tokens(int step, int index, const std::vector<int>* span) const;
  /// Returns the sequence and token of the whole call that a row of a rank is about, which numbers its own rows; nothing
  /// if its part of the tap does not say.
  [[nodiscard]] std::optional<std::pair<int64_t, int64_t>> whole_token(const TapInfo& tap, const ChoiceRow& row) const;
  [[nodiscard]] bool mixes_between(int from, int to, const std::vector<int>* span) const;
  [[nodiscard]] int index_of_node(const Node& node) const { return static_cast<int>(&node - plan_.nodes.data()); }

  const Plan& plan_;
  /// Whether an edit of the cache between two calls chose its rows anew: then a sequence number means another sequence.
  [[nodiscard]] bool rows_change(int from_step, int to_step) const;

  std::vector<bool> mixing_;  // true for nodes that read other tokens
  std::set<int> row_edits_;   // calls that edit rows of the caches
  std::vector<Event> events_;
};

}  // namespace parity::compare
