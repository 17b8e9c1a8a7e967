// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What ranks send each other, by the formulas of the collectives: counted from a plan, without values.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "core/components/collective/all_reduce.hpp"
#include "core/plan.hpp"
#include "core/sharding/sent_rows.hpp"

namespace parity::ranks {

struct Traffic {
  int64_t messages = 0, bytes = 0;

  Traffic& operator+=(const Traffic& other);
};

/// What one member of a group of `ranks` sends to sum tensors of `count` elements of `element` bytes. By rank,
/// every tensor goes to all others; in a ring, 2 (ranks - 1) / ranks of one tensor are sent, in chunks; in a tree, one
/// tensor up (not by member 0), and one down to each neighbour that was added.
[[nodiscard]] Traffic all_reduce_traffic(int64_t member, int64_t ranks, int64_t count, int64_t element, SumOrder order);
/// What a member sends so that all others have its part too: (ranks - 1) / ranks of the whole, if parts are equal.
[[nodiscard]] Traffic all_gather_traffic(int64_t ranks, int64_t part_bytes);

/// Of a rank in a layer (-1: outside the layers), by the component that receives it.
struct LinkKey {
  int64_t layer = -1;
  std::string component;
  int64_t rank = 0;

  [[nodiscard]] auto operator<=>(const LinkKey&) const = default;
};
using LinkCounts = std::map<LinkKey, Traffic>;

/// The number of rows of operand `part` of "parts" that pass a link, of a node whose ranks send single rows.
using RowCount = std::function<double(const Node& node, size_t part)>;

/// What the ranks of a divided plan send in one call of it; in all calls if `step` is -1. Sums run in the order that the
/// node asks for. Without `rows`, rows that ids choose are those
/// expected if every token chooses its experts evenly.
[[nodiscard]] LinkCounts traffic_of(const Plan& plan, const SentRowsOf& sent, const RowCount& rows, int step = -1);

}  // namespace parity::ranks
