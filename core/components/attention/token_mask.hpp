// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Token mask: which tokens are real, as flat indices n = b S + s, which the experts use.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[n] = mask[b,s] != 0, n = b S + s. Routing statistics exclude padding, and routed experts return 0 for it. Throws
/// Error{schema} for a position that the mask does not have.
struct TokenMask {
  static constexpr ComponentText text{"token_mask", "out[n] = mask[n] != 0, 1 without a mask",
                                      "MiniMaxM3 Block.forward (NeMo Automodel)"};
  struct Params {
    bool padding = false;  // the mask is 1 for padding instead of real tokens
  };
  struct Inputs {
    TensorView mask;                         // (B, S) i64 or bool, (B, K) with positions; optional: all tokens are real
    TensorView positions;                    // (B, S) i64, the column of every token in the mask; optional: its index s
  };
  struct Outputs {
    TensorView out;                                                                                          // (N) bool
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{param("padding", &Params::padding)}; }
  static constexpr auto inputs() {
    return std::tuple{field("mask", &Inputs::mask, "B,S", Presence::optional).of(Contents::mask, "B,K"),
                      field("positions", &Inputs::positions, "B,S", Presence::optional).of(Contents::places)};
  }
  static constexpr auto outputs() {
    return std::tuple{field("out", &Outputs::out, "N", Presence::required, Judge::exact)};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
