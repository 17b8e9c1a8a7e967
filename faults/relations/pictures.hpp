// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Images and videos as the vision tower reads them: patches in merged order, and the grid of their positions.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/tensor.hpp"

namespace parity::faults {

using Patch = std::array<int64_t, 3>;  // frame, row, column

struct Picture {
  Patch grid;     // number of frames, rows and columns of patches
  Tensor pixels;                                                                                           // (P, C) f32
};

/// Returns a grid's patch positions in memory order: frames, windows of merge x merge, positions in the window.
[[nodiscard]] std::vector<Patch> places_of(const Patch& grid, int64_t merge);

/// Returns random pixels that depend only on the arguments.
[[nodiscard]] Picture drawn_picture(const Patch& grid, int64_t columns, uint64_t seed);

/// Returns for every patch of a picture with grid `other` the index of the patch in the picture with `grid` that it
/// equals. `seen` maps a position in `other` to its position in `grid`.
[[nodiscard]] std::vector<int64_t> order_of(const Patch& grid, const Patch& other, int64_t merge,
                                            const std::function<Patch(const Patch&)>& seen);

/// Return the (P, C) pixels and (M, 3) grids of several pictures, one after the other.
[[nodiscard]] Tensor pixels_of(const std::vector<Picture>& pictures);
[[nodiscard]] Tensor grids_of(const std::vector<Picture>& pictures);

}  // namespace parity::faults
