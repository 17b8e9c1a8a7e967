// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Patch embedding of the vision tower: a convolution whose stride is its kernel size, hence a linear layer.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[p,h] = sum_{c,t,y,x} pixels[p, ((c T + t) Y + y) X + x] weight[h,c,t,y,x]; no bias.
/// Pixels are first cast to the weight's type T. That cast is part of the definition, as the rounding of the checkpoint
/// is, so exact evaluations make it, too. Products are exact, sums in binary32 in any order, with one rounding to T.
struct PatchEmbed {
  static constexpr ComponentText text{"patch_embed", "out[p,h] = sum_{c,t,y,x} T(pixels[p,ctyx]) weight[h,c,t,y,x]",
                                      "MiniMaxM3VLVisionEmbeddings (Conv3d)"};
  struct Params {};
  struct Inputs {
    TensorView pixels;  // (P, C T Y X), in this order
    TensorView weight;                                                                                // (H, C, T, Y, X)
  };
  struct Outputs {
    TensorView out;                                                                                            // (P, H)
  };
  struct Points {
    Round sum, out;
  };
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("pixels", &Inputs::pixels, "P,F").of(Contents::values, "P,2CYY"),
                      field("weight", &Inputs::weight, "H,C,T,Y,X").of(Contents::values, "H,C,2,Y,Y")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "P,H")}; }
  static constexpr auto points() {
    return std::tuple{point("sum", &Points::sum, Precision::single), point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity
