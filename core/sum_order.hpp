// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The order of the additions of a sum over ranks, for every collective that adds.
#pragma once

#include <cstdint>

namespace parity {

/// The order of the additions of a sum over ranks.
enum class SumOrder : int64_t {
  by_rank,  // 0, 1, 2, ...
  ring,     // as many chunks as ranks; chunk c starts with rank c + 1, goes up and ends with rank c (NCCL)
  tree,     // neighbours are added, then neighbouring sums: (0 + 1) + (2 + 3)
  gloo,     // chunks of whole 8 bytes; chunk c starts with rank c - 1, goes down and ends with rank c
};

/// The way of a sum that goes from rank to rank: element i starts with rank i / chunk + start, and goes on by `step`, modulo
/// the ranks.
struct SumRoute {
  int64_t chunk = 1;  // elements; every chunk, but the last ones may be shorter or empty
  int64_t start = 0, step = 1;
};

/// The route of every order but `tree`. `bytes`: of an element as ranks exchange it.
constexpr SumRoute route_of(SumOrder order, int64_t count, int64_t ranks, int64_t bytes) {
  const int64_t least = ranks > 0 ? (count + ranks - 1) / ranks : 0;
  const int64_t chunk = least > 1 ? least : 1;
  constexpr int64_t kWhole = 8;
  if (order == SumOrder::ring) return {chunk, 1, 1};
  if (order == SumOrder::gloo) return {(chunk * bytes + kWhole - 1) / kWhole * kWhole / bytes, ranks - 1, ranks - 1};
  return {count > 1 ? count : 1, 0, 1};
}

}  // namespace parity
