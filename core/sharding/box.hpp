// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The part of a tensor that one rank holds.
#pragma once

#include <map>
#include <string>

#include "core/sharding/layout.hpp"
#include "core/tensor.hpp"

namespace parity {

/// A box in a contiguous tensor, whose axes are first split: "AD" into (A, D), so that a box of heads is one of axes.
struct Box {
  Shape extents;               // their product is the number of elements of the whole tensor
  std::vector<Ranges> ranges;  // indices, by axis

  [[nodiscard]] bool whole() const { return count() == element_count(extents); }
  [[nodiscard]] int64_t count() const;  // of elements
};

/// The unit by which an axis is divided: one letter ("A" in "AD", "F" in "2F"), or a whole token ("AD": its channels).
using Unit = std::string;

/// The position of `unit` among the tokens of `axes`, or -1.
[[nodiscard]] int find_unit(const std::string& axes, const Unit& unit);
/// The box of the ranges along their units, and all indices along other axes. `sizes` has the extents of all letters.
[[nodiscard]] Box box_of(const std::string& axes, const AxisSizes& sizes, const std::map<Unit, Ranges>& ranges);
/// A contiguous copy of the box's elements, in the shape `shape` with axes `axes`. `whole` is contiguous.
[[nodiscard]] Tensor read_box(const TensorView& whole, const Box& box, const Shape& shape, const std::string& axes);

}  // namespace parity
