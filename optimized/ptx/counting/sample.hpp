// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which blocks of a large launch run in its place.
#pragma once

#include <cstdint>
#include <vector>

namespace parity::ptx {

/// Blocks that run instead of all; those of a cluster run together. Blocks that wait for one that does not run never
/// end: that is found as a deadlock.
struct Sample {
  uint32_t blocks = 0;  // 0, or as many as there are: all run
  uint64_t seed = 0;
};

/// Numbers of `wanted` of `all`: one drawn from each of as many parts of equal size, in ascending order. Each second part
/// mirrors the one before: of costs that grow evenly with the number, as those of causal attention, the mean is exact.
[[nodiscard]] std::vector<uint64_t> spread(uint64_t all, uint64_t wanted, uint64_t seed);

}  // namespace parity::ptx
