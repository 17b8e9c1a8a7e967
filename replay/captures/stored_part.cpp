// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/captures/stored_part.hpp"

namespace parity::replay {

Tensor read_stored_part(const golden::ActivationFile& file, const std::string& dataset, const TapInfo& own) {
  const Part& part = *own.part;
  Box within = part.box;  // of the block
  Shape start(part.shape.size(), 0), extents = part.shape;
  if (part.box.extents == part.shape && part.box.count() > 0) {
    for (size_t axis = 0; axis < part.shape.size(); ++axis) {
      Ranges& ranges = within.ranges[axis];
      start[axis] = ranges.front().first;
      extents[axis] = ranges.back().end() - start[axis];
      for (Range& range : ranges) range.first -= start[axis];
    }
    within.extents = extents;
  }
  const Tensor block = file.read_box(dataset, start, extents);
  return read_box(block.view(), within, own.shape, own.axes);
}

}  // namespace parity::replay
