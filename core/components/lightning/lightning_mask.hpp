// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Padding in lightning attention.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[b,a,s,:] = v[b,a,s,:] where the token is real, else 0. Only the values are masked, not the queries and keys, and
/// only in a call without a cached state: padding in later calls enters the state. Bit-exact.
struct LightningMask {
  static constexpr ComponentText text{"lightning_mask", "out = mask ? v : 0", "MiniMaxLightningAttention.forward"};
  struct Params {};
  struct Inputs {
    TensorView v;                                                                                        // (B, A, S, D)
    TensorView mask;                                                                       // (B, S) i64, 1 = real token
  };
  struct Outputs {
    TensorView out;                                                                                      // (B, A, S, D)
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("v", &Inputs::v, "B,A,S,D"), field("mask", &Inputs::mask, "B,S").of(Contents::mask)};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "B,A,S,D")}; }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
