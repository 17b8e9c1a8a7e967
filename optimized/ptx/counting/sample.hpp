// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which blocks of a large launch run, if only a sample of them does.
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

/// Returns `wanted` numbers below `all`, ascending: one drawn from each of `wanted` parts of equal size. Every second one
/// mirrors the one before in its part: the mean of costs that grow evenly with the number, as those of causal attention
/// do, is exact.
[[nodiscard]] std::vector<uint64_t> spread(uint64_t all, uint64_t wanted, uint64_t seed);

}  // namespace parity::ptx
