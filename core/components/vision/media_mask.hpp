// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Block-diagonal mask of the vision tower: patches see the patches of their own image or video.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[0,0,p,q] = whether p and q belong to the same image or video.
struct MediaMask {
  static constexpr ComponentText text{"media_mask", "out[p,q] = medium(p) == medium(q)",
                                      "MiniMaxM3VisionModel.forward (NeMo Automodel)"};
  struct Params {};
  struct Inputs {
    TensorView grid;                                                                                       // (M, 3) i64
  };
  struct Outputs {
    TensorView out;                                                                                 // (1, 1, P, P) bool
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() { return std::tuple{field("grid", &Inputs::grid, "M,3").of(Contents::grid)}; }
  static constexpr auto outputs() {
    return std::tuple{field("out", &Outputs::out, "1,1,P,P", Presence::required, Judge::exact)};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
