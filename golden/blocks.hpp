// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A tensor in blocks that follow each other in row-major order: what bounds the memory of reading all of it.
#pragma once

#include <cstdint>

#include "core/tensor.hpp"

namespace parity::golden {

class Blocks {
 public:
  /// Of at most `most_bytes` each, and at least an element.
  Blocks(const Shape& shape, int64_t element_bytes, int64_t most_bytes);

  [[nodiscard]] bool done() const { return done_; }
  void advance();
  [[nodiscard]] const Shape& start() const { return start_; }
  [[nodiscard]] const Shape& extents() const { return extents_; }  // of every axis
  [[nodiscard]] int64_t first() const { return first_; }           // element

 private:
  void cut();

  Shape shape_, block_, start_, extents_;
  int64_t first_ = 0;
  bool done_ = false;
};

}  // namespace parity::golden
