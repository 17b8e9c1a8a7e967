// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Padding in lightning attention.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[b,a,s,:] = v[b,a,s,:] where the token is real, else 0, or 0 v[b,a,s,:] with `multiplies`, which keeps the sign. Token
/// s of this call has column K - S + s of the mask. Up to transformers 5.14.1, only the values are masked, not the queries
/// and keys, and only in a call without a cached state: padding in later calls enters the state. From 5.15.0 on, all three
/// are masked in every call of several tokens. Bit-exact.
struct LightningMask {
  static constexpr ComponentText text{"lightning_mask", "out = mask ? v : 0", "MiniMaxLightningAttention.forward"};
  struct Params {
    bool multiplies = false;
  };
  struct Inputs {
    TensorView v;                                                                                        // (B, A, S, D)
    TensorView mask;                                                                       // (B, K) i64, 1 = real token
  };
  struct Outputs {
    TensorView out;                                                                                      // (B, A, S, D)
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{param("multiplies", &Params::multiplies)}; }
  static constexpr auto inputs() {
    return std::tuple{field("v", &Inputs::v, "B,A,S,D"), field("mask", &Inputs::mask, "B,K").of(Contents::mask, "B,S")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "B,A,S,D")}; }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
