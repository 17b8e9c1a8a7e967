// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Patches of the vision tower from 8-bit frames: normalised, padded to whole temporal patches, cut and ordered.
#pragma once

#include "core/component.hpp"

namespace parity {

/// values[p, ((c tp + t) patch + y) patch + x] = F(F(pixel - m_c) / s_c), m = F(F(mean) F(1/rescale)), s likewise: rescale
/// and normalisation are fused; their constants are rounded first. The last frame is repeated up to a multiple of
/// `temporal`. Patches are ordered by temporal patch, then by blocks of merge x merge, row by row, and row by row in a
/// block. grid = (frames / temporal, H / patch, W / patch), in rows of at most `segment` temporal patches. Binary32 in
/// every recording; every operation is prescribed.
struct Patchify {
  static constexpr ComponentText text{"patchify", "values[p, c t y x] = F(F(pixel - m_c) / s_c), m = F(255 F(mean))",
                                      "rescale_and_normalize, MiniMaxM3VLImageProcessor._preprocess"};
  struct Params {
    int64_t channels = 3;
    int64_t patch = 14;
    int64_t merge = 2;
    int64_t temporal = 2;
    int64_t segment = 0;  // largest number of temporal patches in a row of the grid; 0: no limit
    double rescale = 1.0 / 255.0;
    double mean_red = 0.48145466;
    double mean_green = 0.4578275;
    double mean_blue = 0.40821073;
    double std_red = 0.26862954;
    double std_green = 0.26130258;
    double std_blue = 0.27577711;
  };
  struct Inputs {
    TensorView image;  // (T C, H, W) 0..255
  };
  struct Outputs {
    TensorView values;  // (P, C temporal patch patch)
    TensorView grid;                                                                                       // (G, 3) i64
  };
  struct Points {
    Round constant, difference, out;
  };
  static constexpr auto params() {
    return std::tuple{param("channels", &Params::channels, extent('C')),
                      param("patch", &Params::patch, extent('Y')),
                      param("merge", &Params::merge),
                      param("temporal", &Params::temporal),
                      param("segment", &Params::segment),
                      param("rescale", &Params::rescale),
                      param("mean_red", &Params::mean_red, among(0.6)),
                      param("mean_green", &Params::mean_green, among(0.5)),
                      param("mean_blue", &Params::mean_blue, among(0.4)),
                      param("std_red", &Params::std_red, among(0.25)),
                      param("std_green", &Params::std_green, among(0.2)),
                      param("std_blue", &Params::std_blue, among(0.3))};
  }
  static constexpr auto inputs() {
    return std::tuple{field("image", &Inputs::image, "C,H,W").of(Contents::pixels, "TC,2Y,4Y")};
  }
  static constexpr auto outputs() {
    return std::tuple{
        field("values", &Outputs::values, "P,F", Presence::required, Judge::bits).of(Contents::values, "P,2CYY"),
        field("grid", &Outputs::grid, "M,3", Presence::required, Judge::exact)};
  }
  static constexpr auto points() {
    return std::tuple{point("constant", &Points::constant, Precision::binary32),
                      point("difference", &Points::difference, Precision::binary32),
                      point("out", &Points::out, Precision::binary32)};
  }
};

}  // namespace parity
