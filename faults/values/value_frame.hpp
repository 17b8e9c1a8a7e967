// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The axes of a tap that is to be damaged, and the part of it that is: whole, a slice, a stretch, a tile.
#pragma once

#include <cstdint>
#include <vector>

#include "faults/values/value_corruption.hpp"

namespace parity::faults {

/// Numbers of a tap and how they are counted; flattened axes ("AD", "N") are taken apart.
class Frame {
 public:
  explicit Frame(const Target& target);

  [[nodiscard]] size_t rank() const { return extents_.size(); }
  [[nodiscard]] int64_t extent(size_t axis) const { return extents_[axis]; }
  [[nodiscard]] int64_t count() const { return count_; }
  [[nodiscard]] int64_t position(int64_t element, size_t axis) const {
    return element / strides_[axis] % extents_[axis];
  }
  /// The element at another position of one axis.
  [[nodiscard]] int64_t at(int64_t element, size_t axis, int64_t position) const {
    return element + (position - this->position(element, axis)) * strides_[axis];
  }
  /// Axes of at least so many positions.
  [[nodiscard]] std::vector<size_t> axes(int64_t least) const;

 private:
  std::vector<int64_t> extents_, strides_;
  int64_t count_ = 1;
};

/// A stretch of every axis.
struct Part {
  std::vector<int64_t> first, last;

  [[nodiscard]] bool holds(const Frame& frame, int64_t element) const;
};

[[nodiscard]] Part whole(const Frame& frame);
/// One position of one axis, of one of two axes, or a stretch of one: a head, a token, a row, a few channels.
[[nodiscard]] Part slice(const Frame& frame, Choices& choices);
/// The whole tap, or one position of an axis other than `kept`.
[[nodiscard]] Part whole_or_slice(const Frame& frame, size_t kept, Choices& choices);

}  // namespace parity::faults
