// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What instructions report to the counters. Each call costs one comparison if the launch is not counted.
#pragma once

#include <string_view>

#include "optimized/ptx/machine/access.hpp"

namespace parity::ptx {

/// Counts the access whose lanes reach() found, in any memory. reach() calls it, so its callers do not count.
void count_access(const Warp& warp, const Step& step, const Lanes& lanes, Mask mask, uint32_t bytes, Intent intent);

/// A bulk copy when it is asked for: one request for all of its pieces, which copy engines gather.
void count_bulk(const Warp& warp, const PendingBulk& bulk);

/// Bytes that tensor units or copy engines read or write in shared memory, in as few wavefronts as they need. ldmatrix
/// and stmatrix give their rows to reach(): eight rows of 16 bytes are what one wavefront serves.
void count_shared_bytes(const Warp& warp, const Step& step, uint64_t bytes);

/// A product of matrices by tensor units. Each of the `warps` that share it tells it.
struct TensorShape {
  std::string_view type;  // of the factors: "bf16", "tf32", "e4m3"
  uint32_t m = 0, n = 0, k = 0;
  uint32_t warps = 1;
};
void count_products(const Warp& warp, const Step& step, const TensorShape& shape);

}  // namespace parity::ptx
