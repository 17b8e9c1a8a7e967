// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What routers and losses have in common: labels that are ignored, the largest of a row, and its softmax.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "cases/drawn/kernels.hpp"

namespace parity::cases {

inline constexpr int64_t kIgnored = -100;  // the label of a token that counts in no loss

/// Ids of the k largest, the smaller id at ties.
inline std::vector<int64_t> largest(const Row& scores, int64_t k) {
  std::vector<int64_t> ids(scores.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto of = [&](int64_t id) { return scores[static_cast<size_t>(id)]; };
  const auto more = [](float x, float y) { return std::isnan(x) ? !std::isnan(y) : x > y; };  // as torch.topk
  std::stable_sort(ids.begin(), ids.end(), [&](int64_t a, int64_t b) { return more(of(a), of(b)); });
  ids.resize(static_cast<size_t>(k));
  return ids;
}

/// exp(x - max) of one row; the sum of them.
inline std::pair<Row, float> exponentials(const Row& x, const Arithmetic& math) {
  const float most = *std::max_element(x.begin(), x.end());
  Row result;
  for (const float value : x) result.push_back(math.exponential(value - most));
  const float total = math.sum(result);
  return {result, total};
}

/// log sum exp(x) - x[label].
inline float label_loss(const Row& x, int64_t label, const Arithmetic& math) {
  const float most = *std::max_element(x.begin(), x.end());
  return std::log(exponentials(x, math).second) + (most - x[static_cast<size_t>(label)]);
}

}  // namespace parity::cases
