// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The grids of images and videos: the medium of each patch, and its position in that medium.
#pragma once

#include <array>
#include <vector>

#include "core/error.hpp"
#include "core/tensor.hpp"

namespace parity::reference {

/// One image or whole video, whose patches are the rows [first, first + count).
struct Medium {
  int64_t first = 0;
  int64_t count = 0;
  std::array<int64_t, 3> grid{};  // t, h, w
};

/// The media of a grid (M, 3). Throws Error{schema} unless they have `patches` patches in total and full merge blocks.
inline std::vector<Medium> media_of(const Span<int64_t, 2>& grid, int64_t patches, int64_t merge = 1) {
  PARITY_CHECK(merge > 0, usage, "merge is {}; 1 or more is needed", merge);
  std::vector<Medium> media;
  int64_t first = 0;
  for (int64_t m = 0; m < grid.extent[0]; ++m) {
    const std::array<int64_t, 3> thw{grid(m, 0), grid(m, 1), grid(m, 2)};
    for (const int64_t extent : thw) {
      PARITY_CHECK(extent > 0 && extent <= patches, schema,
                   "grid_thw row {} is ({}, {}, {}), which does not fit {} patches", m, thw[0], thw[1], thw[2],
                   patches);
    }
    PARITY_CHECK(thw[1] % merge == 0 && thw[2] % merge == 0, schema,
                 "grid_thw row {} has {} x {} patches: not a multiple of the merged {} x {}", m, thw[1], thw[2], merge,
                 merge);
    const int64_t count = element_count({thw[0], thw[1], thw[2]});
    media.push_back({first, count, thw});
    first += count;
  }
  PARITY_CHECK(first == patches, schema, "grid_thw describes {} patches, but there are {}", first, patches);
  return media;
}

/// (t, h, w) of the patch at `offset` in its medium. Merge blocks, and patches in a block, are ordered row by row.
inline std::array<int64_t, 3> coordinates_of(const Medium& medium, int64_t offset, int64_t merge) {
  const auto [frames, rows, columns] = medium.grid;
  const int64_t in_frame = offset % (rows * columns);
  const int64_t block = in_frame / (merge * merge);
  const int64_t in_block = in_frame % (merge * merge);
  const int64_t blocks_per_row = columns / merge;
  return {offset / (rows * columns), block / blocks_per_row * merge + in_block / merge,
          block % blocks_per_row * merge + in_block % merge};
}

}  // namespace parity::reference
