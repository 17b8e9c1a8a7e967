// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Faults of one rank, and of messages between two: where they are planted, and their edits of a plan for ranks.
#pragma once

#include <string>
#include <vector>

#include "core/plan.hpp"
#include "faults/edits/edit.hpp"

namespace parity::faults {

/// The ranks for {rank}, {peer}, {third} and {across} in a fault: three of one group, and one of another group.
struct RankTarget {
  int rank = 1;
  int peer = 0;
  int third = 2;
  int across = 0;
};
/// Reads "3-2" or "3-2-5-7": rank, peer, third, across. Throws Error{usage}.
[[nodiscard]] RankTarget rank_target_of(const std::string& text);
/// Returns the text for a command, "ID@3-2-5-7".
[[nodiscard]] std::string placed_word(const std::string& id, const RankTarget& target);
/// Returns the fault with its ranks: in `at` and in the names of taps as "03", elsewhere as 3.
[[nodiscard]] Fault at_ranks(const Fault& fault, const RankTarget& target);

[[nodiscard]] const std::vector<RankEdit::Kind>& rank_edit_kinds();
[[nodiscard]] const char* kind_name(RankEdit::Kind kind);
/// Whether all edits of the fault are of messages: the nodes are right.
[[nodiscard]] bool edits_messages(const Fault& fault);
/// Whether `of` names the operand: "own", "others", a rank, or empty for all.
[[nodiscard]] bool selects(const std::string& of, const Operand& operand, const Node& node);

/// Makes the edit at a node of `result.plan`. Throws Error{usage} if the node does not allow it.
void make_rank_edit(const RankEdit& edit, const Plan& clean, Node& node, Edited& result);

}  // namespace parity::faults
