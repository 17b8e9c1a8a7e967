// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cuda/tensor_map.hpp"

#include <algorithm>
#include <limits>

namespace parity::optimized::cuda {
namespace {

constexpr int64_t kTensorAligned = 16;                                      // bytes
constexpr int64_t kMostStride = (int64_t{1} << 40U) - 1;                    // bytes
constexpr int64_t kMostTensorExtent = std::numeric_limits<int32_t>::max();  // a coordinate is an int32

bool axis_fits(const TensorBoxes& boxes, size_t axis) {
  const int64_t bytes = boxes.stride[axis] * static_cast<int64_t>(sizeof(BFloat16));
  return bytes > 0 && bytes <= kMostStride && bytes % kTensorAligned == 0;
}

}  // namespace

bool boxes_fit(const TensorBoxes& boxes) {
  constexpr uint32_t most_of_box = 256;
  bool fits = std::bit_cast<uintptr_t>(boxes.data) % kTensorAligned == 0 && boxes.box[0] == TensorBoxes::kRow;
  fits = fits && (boxes.stride[0] == 1 || boxes.extent[0] == 1);
  for (size_t axis = 0; axis < TensorBoxes::kRank; ++axis) {
    fits = fits && boxes.extent[axis] >= 1 && boxes.extent[axis] <= kMostTensorExtent;
    fits = fits && boxes.box[axis] >= 1 && boxes.box[axis] <= most_of_box;
    if (axis > 0) fits = fits && axis_fits(boxes, axis);
  }
  return fits;
}

TensorBoxes boxes_of_rows(const void* data, const MatrixShape& shape, uint32_t of_box) {
  constexpr int64_t any = TensorBoxes::kRow;  // strides of axes of one
  return {data,
          {shape.channels, shape.rows, 1, 1},
          {1, shape.rows == 1 ? any : shape.stride, any, any},
          {TensorBoxes::kRow, of_box, 1, 1}};
}

void require_boxes(const TensorBoxes& boxes) {
  PARITY_CHECK(boxes_fit(boxes), internal,
               "a tensor map needs elements and rows that begin at multiples of {} bytes; call boxes_fit() first",
               kTensorAligned);
}

}  // namespace parity::optimized::cuda
