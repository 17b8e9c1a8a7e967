// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Block mask: the selected key blocks as flags.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[...,s,n] = whether n is in blocks[...,s,:]. Ids outside [0, J), such as -1, select nothing.
struct BlockMask {
  static constexpr ComponentText text{"block_mask", "out[s,n] = n in blocks[s]",
                                      "select_sparse_blocks (NeMo Automodel)"};
  static constexpr Traits traits{.parallel = "*S"};
  struct Params {};
  struct Inputs {
    TensorView blocks;                                                                  // (B, S, T) or (B, X, S, T) i64
  };
  struct Outputs {
    TensorView out;                                                                    // (B, S, J) or (B, X, S, J) bool
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("blocks", &Inputs::blocks, "*,S,T").of(Contents::blocks, "B,X,S,T")};
  }
  static constexpr auto outputs() {
    return std::tuple{
        field("out", &Outputs::out, "*,S,J", Presence::required, Judge::exact).of(Contents::values, "B,X,S,J")};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
