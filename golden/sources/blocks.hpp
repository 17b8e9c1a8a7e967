// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Division of a tensor into blocks in row-major order, so that reading all of it needs a bounded amount of memory.
#pragma once

#include <cstdint>

#include "core/tensor.hpp"

namespace parity::golden {

class Blocks {
 public:
  /// Divides a tensor into blocks of at most `most_bytes`, but of one element at least.
  Blocks(const Shape& shape, int64_t element_bytes, int64_t most_bytes);

  [[nodiscard]] bool done() const { return done_; }
  void advance();
  [[nodiscard]] const Shape& start() const { return start_; }
  [[nodiscard]] const Shape& extents() const { return extents_; }  // of the block, for every axis
  [[nodiscard]] int64_t first() const { return first_; }           // flat index of the block's first element

 private:
  void cut();

  Shape shape_, block_, start_, extents_;
  int64_t first_ = 0;
  bool done_ = false;
};

}  // namespace parity::golden
