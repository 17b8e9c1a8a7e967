// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Images and videos as the vision tower reads them: patches in merged order, and the grid that says where they lie.
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
  Patch grid;     // frames, rows, columns of patches
  Tensor pixels;                                                                                           // (P, C) f32
};

/// Where the patches of a grid lie, in their order: frames, windows of merge x merge, places in the window.
[[nodiscard]] std::vector<Patch> places_of(const Patch& grid, int64_t merge);

/// Random pixels, the same for the same seed.
[[nodiscard]] Picture drawn_picture(const Patch& grid, int64_t columns, uint64_t seed);

/// Of the patches of a picture with `grid`, which one stands at every place of one with `other`: `seen(place in other)` is
/// the place in `grid`.
[[nodiscard]] std::vector<int64_t> order_of(const Patch& grid, const Patch& other, int64_t merge,
                                            const std::function<Patch(const Patch&)>& seen);

/// (P, C) pixels and (M, 3) grids of several pictures, one after the other.
[[nodiscard]] Tensor pixels_of(const std::vector<Picture>& pictures);
[[nodiscard]] Tensor grids_of(const std::vector<Picture>& pictures);

}  // namespace parity::faults
