// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The sum of one element over ranks, in a prescribed order; with its bound, in any order.
#pragma once

#include <vector>

#include "core/bounded.hpp"
#include "core/rounding.hpp"
#include "core/sum_order.hpp"

namespace parity::reference {

/// Adds neighbours, then neighbouring sums, until one is left.
inline double tree_sum(std::vector<double> sums, const Round& round) {
  while (sums.size() > 1) {
    const size_t pairs = sums.size() / 2;
    for (size_t i = 0; i < pairs; ++i) sums[i] = round(sums[2 * i] + sums[2 * i + 1]);
    if (sums.size() % 2 != 0) sums[pairs] = sums.back();
    sums.resize((sums.size() + 1) / 2);
  }
  return sums.front();
}

/// The sum that starts with parts[rank] and goes on by `step`.
inline double sum_from(const std::vector<double>& parts, int64_t rank, int64_t step, const Round& round) {
  const auto ranks = static_cast<int64_t>(parts.size());
  double total = parts[static_cast<size_t>(rank)];
  for (int64_t i = 1; i < ranks; ++i) {
    rank = (rank + step) % ranks;
    total = round(total + parts[static_cast<size_t>(rank)]);
  }
  return total;
}

/// The sum of element i.
inline double sum_of(const std::vector<double>& parts, SumOrder order, const SumRoute& route, int64_t i,
                     const Round& round) {
  if (order == SumOrder::tree) return tree_sum(parts, round);
  return sum_from(parts, (i / route.chunk + route.start) % static_cast<int64_t>(parts.size()), route.step, round);
}

/// The bound of a sum in any order: see Sum.
inline Bounded sum_of(const std::vector<Bounded>& parts, SumOrder, const SumRoute&, int64_t, const Round& round) {
  Sum<Bounded> total(round);
  for (const Bounded& part : parts) total.add(part);
  return total.value();
}

}  // namespace parity::reference
