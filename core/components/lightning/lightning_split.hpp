// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Split of one projection into queries, keys and values of lightning attention.
#pragma once

#include "core/component.hpp"

namespace parity {

/// Head a has the 3 D channels from 3 D a on: query, key and value in this order. The projection is not divided into
/// three global thirds. Only moves data, so results are bit-exact.
struct LightningSplit {
  static constexpr ComponentText text{"lightning_split",
                                      "q[b,a,s,d] | k | v = qkv[b,s,(3 a | 3 a + 1 | 3 a + 2) D + d]",
                                      "MiniMaxLightningAttention.forward"};
  static constexpr Traits traits{.parallel = "BS"};
  struct Params {};
  struct Inputs {
    TensorView qkv;                                                                                       // (B, S, 3AD)
  };
  struct Outputs {
    TensorView q;                                                                                        // (B, A, S, D)
    TensorView k;                                                                                        // (B, A, S, D)
    TensorView v;                                                                                        // (B, A, S, D)
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() { return std::tuple{field("qkv", &Inputs::qkv, "B,S,3AD")}; }
  static constexpr auto outputs() {
    return std::tuple{field("q", &Outputs::q, "B,A,S,D"), field("k", &Outputs::k, "B,A,S,D"),
                      field("v", &Outputs::v, "B,A,S,D")};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
