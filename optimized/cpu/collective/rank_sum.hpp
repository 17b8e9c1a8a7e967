// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The sum of one element over ranks, each addition rounded to the type that ranks exchange.
#pragma once

#include <vector>

#include "core/sum_order.hpp"
#include "core/tensor.hpp"

namespace parity::cpu {

inline double tree_sum(std::vector<double>& sums, DType type) {
  for (size_t count = sums.size(); count > 1; count = (count + 1) / 2) {
    for (size_t i = 0; i < count / 2; ++i) sums[i] = round_to(type, sums[2 * i] + sums[2 * i + 1]);
    if (count % 2 != 0) sums[count / 2] = sums[count - 1];
  }
  return sums.front();
}

inline double sum_from(const std::vector<double>& parts, size_t rank, size_t step, DType type) {
  double total = parts[rank];
  for (size_t i = 1; i < parts.size(); ++i) {
    rank = (rank + step) % parts.size();
    total = round_to(type, total + parts[rank]);
  }
  return total;
}

/// The sum of element i of the whole tensors. `values` has its terms by rank, and may be overwritten.
inline double sum_of(std::vector<double>& values, SumOrder order, const SumRoute& route, int64_t i, DType type) {
  if (order == SumOrder::tree) return tree_sum(values, type);
  const size_t first = static_cast<size_t>(i / route.chunk + route.start) % values.size();
  return sum_from(values, first, static_cast<size_t>(route.step), type);
}

template <class T>
std::byte* address(const Span<T, 2>& span, int64_t n, int64_t h) {
  return reinterpret_cast<std::byte*>(&span(n, h));
}

}  // namespace parity::cpu
