// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rows that several sources may write: the last source in their order is found first, then alone moved.
#pragma once

#include <cstdint>

namespace parity::optimized::cuda {

using Claim = unsigned long long;

/// `claims` begin as zeros. Of all that claim a row the largest `order` gets it.
__device__ inline void claim(Claim* claims, int64_t row, int64_t order) {
  atomicMax(claims + row, static_cast<Claim>(order) + 1);
}

/// Who got it, or -1.
__device__ inline int64_t claimed_by(const Claim* claims, int64_t row) { return static_cast<int64_t>(claims[row]) - 1; }

}  // namespace parity::optimized::cuda
