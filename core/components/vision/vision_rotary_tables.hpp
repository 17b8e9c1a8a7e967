// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rotary tables of the vision tower: one band of frequencies per grid coordinate, both halves.
#pragma once

#include "core/component.hpp"

namespace parity {

/// Rows are the patches of all media in succession; those of a medium are ordered by frame t, then by merge blocks m x
/// m: (t, block row, block column, row in the block, column in the block). t, h, w start at 0 in every medium.
/// Band i < c takes coordinate i of (t, h, w):  inv[j] = 1 / theta^(2j/b), b = R/c, j < b/2;  angle = coordinate inv[j];
/// the angles of all bands are concatenated, and this row of R/2 angles is repeated (R in total).
/// Frequency and angle are rounded to binary32 in every evaluation, also in binary64 recordings and exact evaluations.
struct VisionRotaryTables {
  static constexpr ComponentText text{"vision_rotary_tables", "cos, sin of (t | h | w) F(1/theta^(2j/b)), twice",
                                      "MiniMaxM3VL3DRotaryEmbedding"};
  struct Params {
    double theta = 1e4;
    int64_t rotary_width = 0;  // R
    int64_t coordinates = 3;   // c; 2 drops the column w
    int64_t merge = 2;         // m
  };
  struct Inputs {
    TensorView grid;                                                     // (M, 3) i64: frames, rows, columns of patches
  };
  struct Outputs {
    TensorView cos;                                                                                            // (P, R)
    TensorView sin;                                                                                            // (P, R)
  };
  struct Points {
    Round exponent, power, inverse, angle, table, out;
  };
  static constexpr auto params() {
    return std::tuple{param("theta", &Params::theta), param("rotary_width", &Params::rotary_width, extent('R')),
                      param("coordinates", &Params::coordinates), param("merge", &Params::merge)};
  }
  static constexpr auto inputs() { return std::tuple{field("grid", &Inputs::grid, "M,3").of(Contents::grid)}; }
  static constexpr auto outputs() {
    return std::tuple{field("cos", &Outputs::cos, "P,R"), field("sin", &Outputs::sin, "P,R")};
  }
  static constexpr auto points() {
    return std::tuple{point("exponent", &Points::exponent, Precision::binary32),
                      point("power", &Points::power, Precision::binary32),
                      point("inverse", &Points::inverse, Precision::binary32),
                      point("angle", &Points::angle, Precision::binary32),
                      point("table", &Points::table, Precision::binary32, Follows::function),
                      point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity
