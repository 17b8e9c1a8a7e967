// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The grid of patches for images or videos of given sizes, and the number of their tokens.
#pragma once

#include "core/component.hpp"

namespace parity {

/// grid[m] = (ceil(frames / temporal), h' / patch, w' / patch), (h', w') = smart_size(h, w) or, without `resize`, (h, w),
/// which must then be multiples of patch merge. A size (h, w) has one frame. With `segment`, a grid of more than
/// `segment` temporal patches becomes chunks[m] rows with at most that number each. tokens[m] = t h w / merge^2 of all
/// rows. A medium that is refused or has a side of 0: Error{schema} or, with `marks_refused`, error 1 and rows of -1.
struct MediaGrid {
  static constexpr ComponentText text{"media_grid", "grid[m] = (ceil(frames/temporal), h'/patch, w'/patch)",
                                      "MiniMaxM3VLImageProcessor, MiniMaxM3VLVideoProcessor (grid_thw)"};
  struct Params {
    int64_t patch = 14;
    int64_t merge = 2;
    int64_t temporal = 2;
    int64_t least_pixels = 3136;
    int64_t most_pixels = 451584;
    int64_t segment = 0;  // largest number of temporal patches in a row; 0: no limit
    bool resize = true;
    bool marks_refused = false;
    bool whole_side = false;  // SizeRule::whole_side
  };
  struct Inputs {
    TensorView sizes;  // (M, [frames,] h, w)
  };
  struct Outputs {
    TensorView grid;                                                                                       // (G, 3) i64
    TensorView tokens;                                                                              // (M) i64, optional
    TensorView chunks;                                                                              // (M) i64, optional
    TensorView error;                                                                               // (M) i64, optional
  };
  struct Points {};
  static constexpr auto params() {
    return std::tuple{param("patch", &Params::patch, among(1, 2, 3)),
                      param("merge", &Params::merge),
                      param("temporal", &Params::temporal),
                      param("least_pixels", &Params::least_pixels, among(100, 1900, 5000)),
                      param("most_pixels", &Params::most_pixels, among(5000, 7000, 9000)),
                      param("segment", &Params::segment),
                      param("resize", &Params::resize, among(true)),
                      param("marks_refused", &Params::marks_refused),
                      param("whole_side", &Params::whole_side)};
  }
  static constexpr auto inputs() { return std::tuple{field("sizes", &Inputs::sizes, "M,2").of(Contents::sizes)}; }
  static constexpr auto outputs() {
    return std::tuple{field("grid", &Outputs::grid, "M,3", Presence::required, Judge::exact),
                      field("tokens", &Outputs::tokens, "M", Presence::optional, Judge::exact),
                      field("chunks", &Outputs::chunks, "M", Presence::optional, Judge::exact),
                      field("error", &Outputs::error, "M", Presence::optional, Judge::exact)};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
