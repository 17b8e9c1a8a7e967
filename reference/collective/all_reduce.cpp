// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/collective/all_reduce.hpp"

#include "reference/support.hpp"

namespace parity::reference {
namespace {

/// Adds neighbours, then neighbouring sums, until one is left.
double tree_sum(std::vector<double> sums, const Round& round) {
  while (sums.size() > 1) {
    const size_t pairs = sums.size() / 2;
    for (size_t i = 0; i < pairs; ++i) sums[i] = round(sums[2 * i] + sums[2 * i + 1]);
    if (sums.size() % 2 != 0) sums[pairs] = sums.back();
    sums.resize((sums.size() + 1) / 2);
  }
  return sums.front();
}

/// The sum that starts with parts[rank] and goes on by `step`.
double sum_from(const std::vector<double>& parts, int64_t rank, int64_t step, const Round& round) {
  const auto ranks = static_cast<int64_t>(parts.size());
  double total = parts[static_cast<size_t>(rank)];
  for (int64_t i = 1; i < ranks; ++i) {
    rank = (rank + step) % ranks;
    total = round(total + parts[static_cast<size_t>(rank)]);
  }
  return total;
}

/// The sum of element i.
double sum_of(const std::vector<double>& parts, SumOrder order, const SumRoute& route, int64_t i, const Round& round) {
  if (order == SumOrder::tree) return tree_sum(parts, round);
  return sum_from(parts, (i / route.chunk + route.start) % static_cast<int64_t>(parts.size()), route.step, round);
}

/// The bound of a sum in any order: see Sum.
Bounded sum_of(const std::vector<Bounded>& parts, SumOrder, const SumRoute&, int64_t, const Round& round) {
  Sum<Bounded> total(round);
  for (const Bounded& part : parts) total.add(part);
  return total.value();
}

}  // namespace

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
