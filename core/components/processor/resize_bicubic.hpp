// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Antialiased bicubic resize of 8-bit images, in the integers of the torchvision backend.
#pragma once

#include "core/component.hpp"

namespace parity {

/// Resizes rows, then columns, with 8-bit pixels between. In each pass out = clamp((sum_j image[first + j] w[j] +
/// 2^(p-1)) >> p, 0, 255). w = round(2^p k(j) / sum k), halves away from zero; k is Keys' cubic with a = -0.5, widened
/// by the scale when shrinking. p is the largest precision up to 22 with which all weights stay below 2^15. A pass that
/// keeps the extent is skipped. All values are integers. PIL uses 22 bits and differs by up to one level.
struct ResizeBicubic {
  static constexpr ComponentText text{"resize_bicubic",
                                      "out = u8 antialiased bicubic, 16-bit fixed-point weights, rows then columns",
                                      "torchvision resize of uint8 (ATen _upsample_bicubic2d_aa)"};
  struct Params {};
  struct Inputs {
    TensorView image;  // (T C, H, W) 0..255
  };
  struct Outputs {
    TensorView out;  // (T C, Y, X)
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("image", &Inputs::image, "C,H,W").of(Contents::pixels, "C,H,F")};
  }
  static constexpr auto outputs() {
    return std::tuple{field("out", &Outputs::out, "C,Y,X", Presence::required, Judge::exact)};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
