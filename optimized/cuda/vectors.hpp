// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which operands may be read by vectors of 16 bytes.
#pragma once

#include <bit>

#include "core/tensor.hpp"

namespace parity::optimized::cuda {

/// Every row begins at a multiple of 16 bytes, and its elements are neighbours.
template <class T, int rank>
[[nodiscard]] bool in_vectors(const Span<T, rank>& span) {
  constexpr size_t kVector = 16;
  bool result = std::bit_cast<uintptr_t>(span.data) % kVector == 0 && span.stride[rank - 1] == 1;
  for (int axis = 0; axis + 1 < rank; ++axis)
    result = result && span.stride[axis] * static_cast<int64_t>(sizeof(T)) % static_cast<int64_t>(kVector) == 0;
  return result;
}

}  // namespace parity::optimized::cuda
