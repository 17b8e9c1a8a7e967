// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Shared by routers and losses: ignored labels, the largest values of a row, and its softmax.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "cases/drawn/kernels.hpp"

namespace parity::cases {

inline constexpr int64_t kIgnored = -100;  // label of a token that counts in no loss

/// Returns the ids of the k largest scores, the smaller id first at ties.
inline std::vector<int64_t> largest(const Row& scores, int64_t k) {
  std::vector<int64_t> ids(scores.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto of = [&](int64_t id) { return scores[static_cast<size_t>(id)]; };
  const auto more = [](float x, float y) { return std::isnan(x) ? !std::isnan(y) : x > y; };  // order of torch.topk
  std::stable_sort(ids.begin(), ids.end(), [&](int64_t a, int64_t b) { return more(of(a), of(b)); });
  ids.resize(static_cast<size_t>(k));
  return ids;
}

/// Returns exp(x - max) of one row, and the sum of these.
inline std::pair<Row, float> exponentials(const Row& x, const Arithmetic& math) {
  const float most = *std::max_element(x.begin(), x.end());
  Row result;
  for (const float value : x) result.push_back(math.exponential(value - most));
  const float total = math.sum(result);
  return {result, total};
}

/// Returns log(sum(exp(x))) - x[label].
inline float label_loss(const Row& x, int64_t label, const Arithmetic& math) {
  const float most = *std::max_element(x.begin(), x.end());
  return std::log(exponentials(x, math).second) + (most - x[static_cast<size_t>(label)]);
}

}  // namespace parity::cases
