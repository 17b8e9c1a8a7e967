// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/reduce.hpp"

namespace parity::cases {
namespace {

/// Reduces one letter. Failing need not be monotonous in it, so only values that were seen to fail are kept.
bool reduce(AxisSizes& limits, char letter, int64_t extent, const std::function<bool(const AxisSizes&)>& fails) {
  int64_t low = 1, high = extent;  // `high` fails
  while (low < high) {
    const int64_t tried = low == 1 && high == extent ? 1 : (low + high) / 2;
    AxisSizes smaller = limits;
    smaller[letter] = tried;
    if (fails(smaller)) {
      high = tried;
      limits = smaller;
    } else {
      low = tried + 1;
    }
  }
  return high < extent;
}

}  // namespace

AxisSizes reduced(const AxisSizes& drawn, const std::function<bool(const AxisSizes&)>& fails) {
  AxisSizes limits;
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (const auto& [letter, extent] : drawn) {
      const auto limit = limits.find(letter);
      smaller |= reduce(limits, letter, limit == limits.end() ? extent : limit->second, fails);
    }
  }
  return limits;
}

}  // namespace parity::cases
