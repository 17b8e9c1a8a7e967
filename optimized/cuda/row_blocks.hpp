// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Launches of kernels that go through rows. Several threads divide a row among them, and a block has as many rows as it
// has threads for.
#pragma once

#include <bit>

#include "optimized/cuda/launch.hpp"
#include "optimized/cuda/vectors.hpp"

namespace parity::optimized::cuda {

/// Returns the launch for `rows` rows of `units` each; a thread does one unit at a time. `most`: the most threads of a
/// row, a power of two.
[[nodiscard]] inline Launch row_launch(const std::string& module, const std::string& kernel, int64_t rows,
                                       int64_t units, uint32_t most = 256) {
  constexpr uint32_t kThreads = 256;
  const uint32_t lanes = std::bit_ceil(static_cast<uint32_t>(std::clamp<int64_t>(units, 1, most)));
  const int64_t of_block = kThreads / lanes;
  return {module, kernel, {grid_extent((rows + of_block - 1) / of_block)}, {lanes, kThreads / lanes}};
}

/// Returns the number of vectors of a row, or of its elements if it has no vectors.
template <class T>
[[nodiscard]] int64_t units_of(int64_t width, bool vectors) {
  return vectors ? (width + kVectorElements<T> - 1) / kVectorElements<T> : width;
}

}  // namespace parity::optimized::cuda
