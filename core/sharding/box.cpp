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
  PARITY_CHECK(found != sizes.end(), internal, "axis {} of '{}' has no size", factor, axes);
  return found->second;
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

Box box_of(const std::string& axes, const AxisSizes& sizes, const std::map<Unit, Range>& ranges) {
  Box box;
  const auto add = [&](int64_t extent, const Unit& unit) {
    const auto range = ranges.find(unit);
    box.extents.push_back(extent);
    box.first.push_back(range == ranges.end() ? 0 : range->second.first);
    box.count.push_back(range == ranges.end() ? extent : range->second.count);
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
               "a box of {} in a tensor of {}", to_string(box.extents), to_string(whole.shape));
  Tensor result = Tensor::unwritten(whole.dtype, shape, axes);
  const int64_t count = element_count(box.count);
  PARITY_CHECK(count == result.view().count(), internal, "a box of {} has another number of elements than {}",
               to_string(box.count), to_string(shape));
  const auto size = static_cast<size_t>(size_of(whole.dtype));
  const size_t rank = box.extents.size();
  const int64_t run = rank == 0 ? 1 : box.count.back();  // elements that are adjacent in both
  std::byte* target = result.view().data;
  for (int64_t at = 0; at < count; at += run) {
    int64_t rest = at / run, offset = rank == 0 ? 0 : box.first.back(), stride = rank == 0 ? 1 : box.extents.back();
    for (size_t axis = rank; axis-- > 1;) {
      const size_t outer = axis - 1;
      offset += (box.first[outer] + rest % box.count[outer]) * stride;
      rest /= box.count[outer];
      stride *= box.extents[outer];
    }
    std::memcpy(target, whole.data + static_cast<size_t>(offset) * size, static_cast<size_t>(run) * size);
    target += static_cast<size_t>(run) * size;
  }
  return result;
}

}  // namespace parity
