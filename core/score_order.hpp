// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The order of scores: descending as torch sorts, NaN before all numbers. It is a strict weak order for any scores.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace parity {

/// Whether x is ordered before y: NaN precedes every number and is equivalent to another NaN.
inline bool scores_more(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && !std::isnan(y);
  return x > y;
}

/// Compares two indices of `scores`: the larger score first; of equal scores, the smaller index first.
struct ScoreOrder {
  const std::vector<double>& scores;

  bool operator()(int64_t a, int64_t b) const {
    const double x = scores[static_cast<size_t>(a)];
    const double y = scores[static_cast<size_t>(b)];
    return scores_more(x, y) || (!scores_more(y, x) && a < b);
  }
};

}  // namespace parity
