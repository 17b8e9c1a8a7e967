// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/counting/sample.hpp"

#include <algorithm>

#include "core/random.hpp"

namespace parity::ptx {

std::vector<uint64_t> spread(uint64_t all, uint64_t wanted, uint64_t seed) {
  std::vector<uint64_t> numbers;
  const Random random(seed, "sampled blocks");
  for (uint64_t i = 0; i < wanted; ++i) {
    const uint64_t first = all * i / wanted, end = all * (i + 1) / wanted;
    const uint64_t drawn = random.below(i, end - first);
    const uint64_t before = i % 2 == 0 ? 0 : numbers.back() - all * (i - 1) / wanted;
    numbers.push_back(i % 2 == 0 ? first + drawn : end - 1 - std::min(before, end - 1 - first));
  }
  return numbers;
}

}  // namespace parity::ptx
