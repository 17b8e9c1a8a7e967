// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Edits of the weights that one rank holds.
#pragma once

#include "core/plan.hpp"
#include "faults/edits/fault.hpp"

namespace parity::faults {

/// Gives the node weights of its own, divided, chosen or counted otherwise: RankEdit's shard, load and experts. A shard
/// is that of the next rank ("next"), one row or column later ("one"), a chunk of what the two halves are together
/// ("flat"), every n-th row ("strided"), or columns in place of rows and rows in place of columns ("across").
void make_shard_edit(const RankEdit& edit, Node& node, Plan& plan);

}  // namespace parity::faults
