// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/sources/blocks.hpp"

#include <algorithm>

namespace parity::golden {

Blocks::Blocks(const Shape& shape, int64_t element_bytes, int64_t most_bytes)
    : shape_(shape), block_(shape), start_(shape.size(), 0), extents_(shape), done_(element_count(shape) == 0) {
  if (done_) return;
  for (int64_t& extent : block_) {
    const int64_t bytes = element_count(block_) * element_bytes;
    if (bytes <= most_bytes) break;
    extent = std::clamp<int64_t>(most_bytes / (bytes / extent), 1, extent);
  }
  cut();
}

void Blocks::advance() {
  first_ += element_count(extents_);
  for (size_t axis = shape_.size(); axis-- > 0;) {
    start_[axis] += block_[axis];
    if (start_[axis] < shape_[axis]) return cut();
    start_[axis] = 0;
  }
  done_ = true;
}

void Blocks::cut() {
  for (size_t axis = 0; axis < shape_.size(); ++axis)
    extents_[axis] = std::min(block_[axis], shape_[axis] - start_[axis]);
}

}  // namespace parity::golden
