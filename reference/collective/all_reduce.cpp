// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/collective/all_reduce.hpp"

#include "reference/support.hpp"

namespace parity::reference {
namespace {

enum Order : int64_t { kByRank, kRing, kTree };

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

/// The sum that starts with parts[first] and goes round.
double sum_from(const std::vector<double>& parts, size_t first, const Round& round) {
  double total = parts[first];
  for (size_t i = 1; i < parts.size(); ++i) total = round(total + parts[(first + i) % parts.size()]);
  return total;
}

double sum_of(const std::vector<double>& parts, int64_t order, size_t chunk, const Round& round) {
  if (order == kTree) return tree_sum(parts, round);
  return sum_from(parts, order == kRing ? (chunk + 1) % parts.size() : 0, round);
}

/// The bound of a sum in any order: see Sum.
Bounded sum_of(const std::vector<Bounded>& parts, int64_t, size_t, const Round& round) {
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
  const auto ranks = static_cast<int64_t>(in.parts.size());
  const int64_t chunk = std::max<int64_t>((out.out.count() + ranks - 1) / std::max<int64_t>(ranks, 1), 1);
  std::vector<Num> parts(in.parts.size());
  for (int64_t i = 0; i < out.out.count(); ++i) {
    for (size_t r = 0; r < parts.size(); ++r) parts[r] = Num(in.parts[r].as<double, 2>()(i / width, i % width));
    y.set(sum_of(parts, params.order, static_cast<size_t>(i / chunk), round.sum), i / width, i % width);
  }
}

PARITY_REFERENCE(AllReduce, all_reduce)

}  // namespace parity::reference
