// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Top-k selection with the canonical tie rule.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/error.hpp"
#include "core/score_order.hpp"

namespace parity::reference {

/// Indices of the k largest scores, in descending order; at ties the smaller index first. NaN is largest (torch).
inline std::vector<int64_t> top_k(const std::vector<double>& scores, int64_t k) {
  std::vector<int64_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  PARITY_CHECK(k >= 0, usage, "the {} largest of {} scores are asked for; ask for 0 or more", k, order.size());
  const auto kept = std::min<int64_t>(k, static_cast<int64_t>(order.size()));
  std::partial_sort(order.begin(), order.begin() + kept, order.end(), ScoreOrder{scores});
  order.resize(static_cast<size_t>(kept));
  return order;
}

}  // namespace parity::reference
