// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/values/value_frame.hpp"

namespace parity::faults {
namespace {

/// Returns the sizes of the letters of one axis token, or only `extent` if they do not multiply to it.
std::vector<int64_t> extents_of(const std::string& token, int64_t extent, const AxisSizes& sizes) {
  std::vector<int64_t> result;
  int64_t product = 1;
  for (const char letter : token == "N" ? std::string("BS") : token) {
    const auto size = sizes.find(letter);
    if (size == sizes.end()) return {extent};
    result.push_back(size->second);
    product *= size->second;
  }
  return result.size() > 1 && product == extent ? result : std::vector<int64_t>{extent};
}

}  // namespace

Frame::Frame(const Target& target) {
  auto tokens = split_axes(target.axes);
  tokens.resize(target.shape.size());
  for (size_t axis = 0; axis < target.shape.size(); ++axis) {
    const auto extents = extents_of(tokens[axis], target.shape[axis], target.sizes);
    extents_.insert(extents_.end(), extents.begin(), extents.end());
  }
  strides_.assign(extents_.size(), 1);
  for (size_t axis = extents_.size(); axis-- > 0;) {
    strides_[axis] = count_;
    count_ *= extents_[axis];
  }
}

std::vector<size_t> Frame::axes(int64_t least) const {
  std::vector<size_t> result;
  for (size_t axis = 0; axis < rank(); ++axis) {
    if (extents_[axis] >= least) result.push_back(axis);
  }
  return result;
}

bool Part::holds(const Frame& frame, int64_t element) const {
  for (size_t axis = 0; axis < frame.rank(); ++axis) {
    const int64_t p = frame.position(element, axis);
    if (p < first[axis] || p > last[axis]) return false;
  }
  return true;
}

Part whole(const Frame& frame) {
  Part part;
  for (size_t axis = 0; axis < frame.rank(); ++axis) {
    part.first.push_back(0);
    part.last.push_back(frame.extent(axis) - 1);
  }
  return part;
}

Part slice(const Frame& frame, Choices& choices) {
  Part part = whole(frame);
  const auto axes = frame.axes(2);
  if (axes.empty()) return part;
  const auto chosen = [&] { return axes[static_cast<size_t>(choices.below(static_cast<int64_t>(axes.size())))]; };
  const size_t axis = chosen();
  const int64_t form = choices.below(3);
  part.first[axis] = part.last[axis] = choices.below(frame.extent(axis));
  if (form == 1) part.last[axis] += choices.below(frame.extent(axis) - part.first[axis]);
  if (form != 2) return part;
  const size_t other = chosen();
  if (other != axis) part.first[other] = part.last[other] = choices.below(frame.extent(other));
  return part;
}

Part whole_or_slice(const Frame& frame, size_t kept, Choices& choices) {
  Part part = whole(frame);
  const auto axes = frame.axes(2);
  if (axes.size() < 2 || choices.below(2) == 0) return part;
  const size_t axis = axes[static_cast<size_t>(choices.below(static_cast<int64_t>(axes.size())))];
  if (axis == kept) return part;
  part.first[axis] = part.last[axis] = choices.below(frame.extent(axis));
  if (choices.below(2) == 0) part.last[axis] += choices.below(frame.extent(axis) - part.first[axis]);
  return part;
}

}  // namespace parity::faults
