// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Collectives over any communicator. Their bits do not depend on the engine: orders and roundings are those of the
// component all_reduce.
#pragma once

#include <vector>

#include "core/components/collective/all_reduce.hpp"
#include "core/sharding/layout.hpp"
#include "core/tensor.hpp"
#include "ranks/communicator.hpp"

namespace parity::ranks {

/// The ranks that take part, in order. All call the same collectives in the same order, with the same tag.
using Group = std::vector<int>;

using Order = SumOrder;

/// The sum of the group's tensors, each addition rounded to their type (f32, bf16 or f64). If the engine itself can add
/// (Communicator::sum), it does, in its own order. Else, by rank: every rank receives all parts. Ring, gloo: reduce-scatter of one chunk a rank, then all-gather; 2 (n - 1) / n of the bytes pass each link.
/// Tree: sums of neighbours go to the lower one, and the total back.
[[nodiscard]] Tensor all_reduce(Communicator& ranks, const Group& group, int tag, const Tensor& own, Order order);
/// The group's tensors, in order of rank. Extents may differ: `shapes` has those of each.
[[nodiscard]] std::vector<Tensor> all_gather(Communicator& ranks, const Group& group, int tag, const Tensor& own,
                                             const std::vector<Shape>& shapes);
/// The own chunk (rows in equal chunks, rounded up) of the sum, in ring order.
[[nodiscard]] Tensor reduce_scatter(Communicator& ranks, const Group& group, int tag, const Tensor& own);
/// Element i of `parts` goes to rank i of the group; the result is what they sent. `shapes` has its extents.
[[nodiscard]] std::vector<Tensor> all_to_all(Communicator& ranks, const Group& group, int tag,
                                             const std::vector<Tensor>& parts, const std::vector<Shape>& shapes);
/// The tensor of the group's rank `root`; `own` gives type and shape, and the elements there.
[[nodiscard]] Tensor broadcast(Communicator& ranks, const Group& group, int tag, const Tensor& own, int root);

}  // namespace parity::ranks
