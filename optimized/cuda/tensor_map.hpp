// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Descriptions of tensors from which a kernel copies whole boxes into shared memory (the tensor maps of PTX).
#pragma once

namespace parity::optimized::cuda {

/// What a kernel is given, as one of its parameters: only the place that wrote it knows what is in it.
struct TensorMap {
  alignas(64) unsigned char bytes[128];
};

}  // namespace parity::optimized::cuda

#ifndef __CUDACC__

#include <array>
#include <bit>

#include "core/tensor.hpp"

namespace parity::optimized::cuda {

/// A bf16 tensor of four axes, the innermost first, and the box that one copy takes. The innermost axis of a box is
/// one row of 128 bytes in shared memory, with the 128-byte swizzle. Elements outside of the tensor are copied as zeros.
struct TensorBoxes {
  static constexpr int kRank = 4;
  static constexpr uint32_t kRow = 64;  // elements

  const void* data = nullptr;
  std::array<int64_t, kRank> extent{}, stride{};  // elements; stride[0] is 1
  std::array<uint32_t, kRank> box{kRow, 1, 1, 1};
};

/// Whether a tensor map can describe it: rows begin at multiples of 16 bytes, and no extent is empty.
[[nodiscard]] bool boxes_fit(const TensorBoxes& boxes);
/// Error{internal} unless boxes_fit().
void require_boxes(const TensorBoxes& boxes);

struct MatrixShape {
  int64_t rows, channels, stride;  // elements from row to row
};
/// Boxes of a matrix: `of_box` rows of 64 channels.
[[nodiscard]] TensorBoxes boxes_of_rows(const void* data, const MatrixShape& shape, uint32_t of_box);

/// `axes`: of the span, the innermost first.
template <class T>
[[nodiscard]] TensorBoxes boxes_of(const Span<T, 4>& x, std::array<int, 4> axes, std::array<uint32_t, 4> box) {
  TensorBoxes result{x.data, {}, {}, box};
  for (size_t i = 0; i < axes.size(); ++i) {
    result.extent[i] = x.extent[axes[i]];
    result.stride[i] = i > 0 && x.extent[axes[i]] == 1 ? TensorBoxes::kRow : x.stride[axes[i]];  // of one: any
  }
  return result;
}

}  // namespace parity::optimized::cuda

#endif
