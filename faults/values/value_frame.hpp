// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The axes of a tap to be damaged, and the damaged part of it: the whole tap, a slice, a stretch or a tile.
#pragma once

#include <cstdint>
#include <vector>

#include "faults/values/value_corruption.hpp"

namespace parity::faults {

/// The index space of a tap. Flattened axes ("AD", "N") are split.
class Frame {
 public:
  explicit Frame(const Target& target);

  [[nodiscard]] size_t rank() const { return extents_.size(); }
  [[nodiscard]] int64_t extent(size_t axis) const { return extents_[axis]; }
  [[nodiscard]] int64_t count() const { return count_; }
  [[nodiscard]] int64_t position(int64_t element, size_t axis) const {
    return element / strides_[axis] % extents_[axis];
  }
  /// Returns the element at another position along one axis.
  [[nodiscard]] int64_t at(int64_t element, size_t axis, int64_t position) const {
    return element + (position - this->position(element, axis)) * strides_[axis];
  }
  /// Returns the axes that have at least `least` positions.
  [[nodiscard]] std::vector<size_t> axes(int64_t least) const;

 private:
  std::vector<int64_t> extents_, strides_;
  int64_t count_ = 1;
};

/// A stretch of positions along every axis.
struct Part {
  std::vector<int64_t> first, last;

  [[nodiscard]] bool holds(const Frame& frame, int64_t element) const;
};

[[nodiscard]] Part whole(const Frame& frame);
/// Draws one position of one axis or of two axes, or a stretch of one axis: a head, a token, a row, a few channels.
[[nodiscard]] Part slice(const Frame& frame, Choices& choices);
/// Draws the whole tap, or a position or a stretch of an axis other than `kept`.
[[nodiscard]] Part whole_or_slice(const Frame& frame, size_t kept, Choices& choices);

}  // namespace parity::faults
