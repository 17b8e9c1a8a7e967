// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rows that several sources may write. First the last source of each row is found, then only its row is moved.
#pragma once

#include <cstdint>

namespace parity::optimized::cuda {

using Claim = unsigned long long;

/// Claims a row for the source `order`; the largest order wins. `claims` are zeros at first.
__device__ inline void claim(Claim* claims, int64_t row, int64_t order) {
  atomicMax(claims + row, static_cast<Claim>(order) + 1);
}

/// Returns the source that won the row, or -1.
__device__ inline int64_t claimed_by(const Claim* claims, int64_t row) { return static_cast<int64_t>(claims[row]) - 1; }

}  // namespace parity::optimized::cuda
