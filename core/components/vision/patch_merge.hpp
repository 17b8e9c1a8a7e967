// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Patch merger: consecutive patches become one row.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[o, i H + h] = x[o m + i, h], m = P/O: the m patches of a merge block are consecutive rows. Only moves data.
struct PatchMerge {
  static constexpr ComponentText text{"patch_merge", "out[o, i H + h] = x[o m + i, h]",
                                      "MiniMaxM3VLMultiModalProjector.forward (reshape)"};
  struct Params {};
  struct Inputs {
    TensorView x;                                                                                              // (P, H)
  };
  struct Outputs {
    TensorView out;  // (O, m H)
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() { return std::tuple{field("x", &Inputs::x, "P,H")}; }
  static constexpr auto outputs() {
    return std::tuple{field("out", &Outputs::out, "O,F").of(Contents::values, "O,4H")};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
