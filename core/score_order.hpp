// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The one order of scores: descending as torch sorts, NaN before everything. A strict weak order, whatever the scores.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace parity {

/// x counts as more than y: NaN is more than any number and as much as another NaN.
inline bool scores_more(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && !std::isnan(y);
  return x > y;
}

/// Compares positions: the larger score first, the smaller position at ties.
struct ScoreOrder {
  const std::vector<double>& scores;

  bool operator()(int64_t a, int64_t b) const {
    const double x = scores[static_cast<size_t>(a)];
    const double y = scores[static_cast<size_t>(b)];
    return scores_more(x, y) || (!scores_more(y, x) && a < b);
  }
};

}  // namespace parity
