// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which rows of the parts of a collective pass a link: as its component declares (Traits::sent).
#pragma once

#include <cstdint>
#include <vector>

#include "core/plan.hpp"
#include "core/registry.hpp"

namespace parity {

class SentRowsOf {
 public:
  /// Both must outlive the object.
  SentRowsOf(const Plan& plan, const Registry& components) : plan_(plan), components_(components) {}

  /// Whether ranks send single rows for the node, and whether ids say which.
  [[nodiscard]] bool some(const Node& node) const { return kind(node) != SentRows::all; }
  [[nodiscard]] bool by_ids(const Node& node) const { return kind(node) >= SentRows::routed; }
  /// The tap with the ids (N, T) of a node that is `by_ids`.
  [[nodiscard]] static const std::string& ids_tap(const Node& node) { return node.inputs.at("indices").front().name; }
  /// The rows of operand `part` of "parts" that the node's rank reads, ascending. `ids` is the value of ids_tap, contiguous;
  /// nullptr if the node is not `by_ids`.
  [[nodiscard]] std::vector<int64_t> rows(const Node& node, size_t part, const TensorView* ids) const;
  /// The number of them that is expected if every token chooses its T of E experts evenly.
  [[nodiscard]] double expected(const Node& node, size_t part) const;
  /// Bytes of a row of an operand of "parts", as ranks exchange it.
  [[nodiscard]] int64_t row_bytes(const Node& node, size_t part) const;

 private:
  /// Which rows may be sent, before ids choose among them; and the row of the ids that belongs to the first.
  struct Window {
    int64_t first = 0, count = 0, first_id = 0;
  };
  [[nodiscard]] SentRows kind(const Node& node) const { return components_.component(node.component).traits.sent; }
  [[nodiscard]] Window window(const Node& node, size_t part) const;
  [[nodiscard]] int64_t param(const Node& node, const char* name) const;
  [[nodiscard]] int64_t row_count(const std::string& tap) const;

  const Plan& plan_;
  const Registry& components_;
};

}  // namespace parity
