// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which operands may be read by vectors of 16 bytes.
#pragma once

#include <bit>

#include "core/tensor.hpp"

namespace parity::optimized::cuda {

constexpr int64_t kVectorBytes = 16;
template <class T>
constexpr int64_t kVectorElements = kVectorBytes / static_cast<int64_t>(sizeof(T));

/// Whether rows can be read kVectorBytes at a time: they begin at multiples of that, and their channels are neighbours.
/// An element has `bytes` bytes, if T only stands for its type.
template <class T, int rank>
[[nodiscard]] bool has_vectors(const Span<T, rank>& span, int64_t bytes = sizeof(T)) {
  bool aligned = std::bit_cast<uintptr_t>(span.data) % kVectorBytes == 0;
  for (int axis = 0; axis + 1 < rank; ++axis)
    aligned = aligned && (span.extent[axis] <= 1 || span.stride[axis] * bytes % kVectorBytes == 0);
  return aligned && (span.extent[rank - 1] <= 1 || span.stride[rank - 1] == 1);
}

}  // namespace parity::optimized::cuda
