// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Kernels that go through rows: a block has as many rows as its threads suffice for, and the threads of a row share it out.
#pragma once

#include <bit>

#include "optimized/cuda/launch.hpp"
#include "optimized/cuda/vectors.hpp"

namespace parity::optimized::cuda {

/// Blocks of so many rows, each of `units` that a thread does at a time. `most`: threads of a row, a power of two.
[[nodiscard]] inline Launch row_launch(const std::string& module, const std::string& kernel, int64_t rows,
                                       int64_t units, uint32_t most = 256) {
  constexpr uint32_t kThreads = 256;
  const uint32_t lanes = std::bit_ceil(static_cast<uint32_t>(std::clamp<int64_t>(units, 1, most)));
  const int64_t of_block = kThreads / lanes;
  return {module, kernel, {grid_extent((rows + of_block - 1) / of_block)}, {lanes, kThreads / lanes}};
}

/// Vectors of a row where there are any, or its elements.
template <class T>
[[nodiscard]] int64_t units_of(int64_t width, bool vectors) {
  return vectors ? (width + kVectorElements<T> - 1) / kVectorElements<T> : width;
}

}  // namespace parity::optimized::cuda
