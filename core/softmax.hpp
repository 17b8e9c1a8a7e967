// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the attention components share: the rounding points of a row of weights, and a sum over queries.
#pragma once

#include <algorithm>

#include "core/component.hpp"

namespace parity {

struct SoftmaxPoints {
  Round constant, dot, score, scaled, exponential, total, weight, mix, out;
};

constexpr auto softmax_points() {
  return std::tuple{point("constant", &SoftmaxPoints::constant, Precision::single),
                    point("dot", &SoftmaxPoints::dot, Precision::single),
                    point("score", &SoftmaxPoints::score, Precision::working),
                    point("scaled", &SoftmaxPoints::scaled, Precision::working),
                    point("exponential", &SoftmaxPoints::exponential, Precision::single, Follows::function),
                    point("total", &SoftmaxPoints::total, Precision::single),
                    point("weight", &SoftmaxPoints::weight, Precision::working),
                    point("mix", &SoftmaxPoints::mix, Precision::single),
                    point("out", &SoftmaxPoints::out, Precision::working)};
}

/// The sum of `slots(seen)` over all queries of a call; a query sees `seen` slots, the last query all K.
template <class F>
double over_queries(const AxisSizes& sizes, const F& slots) {
  const int64_t all = sizes.at('K');
  double total = 0.0;
  for (int64_t seen = all - sizes.at('S') + 1; seen <= all; ++seen) total += static_cast<double>(slots(seen));
  return static_cast<double>(sizes.at('B')) * total;
}

}  // namespace parity
