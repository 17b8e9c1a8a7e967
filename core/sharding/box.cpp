// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/sharding/box.hpp"

#include <cstring>

namespace parity {
namespace {

/// Letters of a token as they are laid out; a digit is an extent of its own: "2F" is (2, F), "N" is (B, S).
std::string factors_of(const std::string& token) { return token == "N" ? "BS" : token; }

int64_t extent_of(char factor, const AxisSizes& sizes, const std::string& axes) {
  if (factor >= '0' && factor <= '9') return factor - '0';
  const auto found = sizes.find(factor);
  PARITY_CHECK(found != sizes.end(), internal, "axis {} of the axes '{}' has no known size", factor, axes);
  return found->second;
}

/// The elements of a box, in the memory of the whole tensor.
struct Source {
  const std::byte* data;
  int64_t size;  // bytes of an element
  const Box& box;
};

/// Copies the elements below one index of the outer axes; `row` counts such indices. Returns the end of the copy.
std::byte* copy_box(const Source& from, std::byte* target, size_t axis = 0, int64_t row = 0) {
  if (axis == from.box.extents.size()) {
    std::memcpy(target, from.data + row * from.size, static_cast<size_t>(from.size));
    return target + from.size;
  }
  const bool last = axis + 1 == from.box.extents.size();
  for (const Range& range : from.box.ranges[axis]) {
    const int64_t first = row * from.box.extents[axis] + range.first;
    if (last) {
      std::memcpy(target, from.data + first * from.size, static_cast<size_t>(range.count * from.size));
      target += range.count * from.size;
    } else {
      for (int64_t i = 0; i < range.count; ++i) target = copy_box(from, target, axis + 1, first + i);
    }
  }
  return target;
}

}  // namespace

int find_unit(const std::string& axes, const Unit& unit) {
  const auto tokens = split_axes(axes);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool letter = unit.size() == 1 && factors_of(tokens[i]).find(unit) != std::string::npos;
    if (letter || tokens[i] == unit) return static_cast<int>(i);
  }
  return -1;
}

int64_t Box::count() const {
  int64_t count = 1;
  for (const Ranges& axis : ranges) count *= count_of(axis);
  return count;
}

Box box_of(const std::string& axes, const AxisSizes& sizes, const std::map<Unit, Ranges>& ranges) {
  Box box;
  const auto add = [&](int64_t extent, const Unit& unit) {
    const auto found = ranges.find(unit);
    box.extents.push_back(extent);
    box.ranges.push_back(found == ranges.end() ? Ranges{{0, extent}} : found->second);
  };
  for (const std::string& token : split_axes(axes)) {
    const std::string factors = factors_of(token);
    if (token.size() > 1 && ranges.contains(token)) {
      int64_t extent = 1;
      for (const char factor : factors) extent *= extent_of(factor, sizes, axes);
      add(extent, token);
      continue;
    }
    for (const char factor : factors) add(extent_of(factor, sizes, axes), std::string(1, factor));
  }
  return box;
}

Tensor read_box(const TensorView& whole, const Box& box, const Shape& shape, const std::string& axes) {
  PARITY_CHECK(whole.contiguous() && whole.count() == element_count(box.extents), internal,
               "a box of extents {} cannot be read from a tensor of shape {}", to_string(box.extents),
               to_string(whole.shape));
  Tensor result = Tensor::unwritten(whole.dtype, shape, axes);
  PARITY_CHECK(box.count() == result.view().count(), internal, "a box of {} elements does not have the shape {}",
               box.count(), to_string(shape));
  copy_box({whole.data, size_of(whole.dtype), box}, result.view().data);
  return result;
}

}  // namespace parity
