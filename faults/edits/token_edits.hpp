// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Edits of how context-parallel ranks number their tokens, and of the order in which parts are joined.
#pragma once

#include "core/plan.hpp"
#include "faults/edits/fault.hpp"

namespace parity::faults {

/// Sets the parameter `edit.what`, a slot at which the node's tokens begin, as a rank would that numbers them otherwise.
/// `edit.value`: "local": within what the rank holds; "contiguous": its second chunk follows the first; "next": as the
/// chunk after it; "exchanged": its two chunks the wrong way round. Throws Error{usage} if the tokens are not divided.
void make_slot_edit(const RankEdit& edit, const Plan& clean, Node& node);

/// Joins the parts of input `edit.what` in another order: "ranks": by rank, as if each had one chunk; "reversed".
void make_order_edit(const RankEdit& edit, Node& node);

}  // namespace parity::faults
