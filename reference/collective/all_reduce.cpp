// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/collective/all_reduce.hpp"

#include "reference/collective/rank_sum.hpp"
#include "reference/support.hpp"

namespace parity::reference {
template <class Num>
void all_reduce(const AllReduce::Inputs& in, const AllReduce::Params& params, const AllReduce::Outputs& out,
                Context& context) {
  const auto round = points_of<AllReduce>(context);
  const Sink<Num, 2> y(out.out, context);                                                                      // (N, H)
  const int64_t width = out.out.shape.back();
  const auto order = static_cast<SumOrder>(params.order);
  const auto ranks = static_cast<int64_t>(in.parts.size());
  const SumRoute route = route_of(order, out.out.count(), ranks, size_of(round.sum.target()));
  std::vector<Num> parts(in.parts.size());
  for (int64_t i = 0; i < out.out.count(); ++i) {
    for (size_t r = 0; r < parts.size(); ++r) parts[r] = Num(in.parts[r].as<double, 2>()(i / width, i % width));
    y.set(sum_of(parts, order, route, i, round.sum), i / width, i % width);
  }
}

PARITY_REFERENCE(AllReduce, all_reduce)

}  // namespace parity::reference
