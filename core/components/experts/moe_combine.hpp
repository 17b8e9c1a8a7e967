// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Combination of routed and, where the model has one, shared experts.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out = scaling routed + shared. Rounds to T after the product (exact for 2.0) and after the sum. Without a shared
/// expert, out = scaling routed.
struct MoeCombine {
  static constexpr ComponentText text{"moe_combine", "out = scaling routed + shared",
                                      "MiniMaxM3VLSparseMoeBlock.forward, MiniMaxM2SparseMoeBlock.forward"};
  static constexpr Traits traits{.elementwise = true, .parallel = "NH"};
  struct Params {
    double scaling = 2.0;  // a binary32 constant except in binary64 captures
  };
  struct Inputs {
    TensorView routed;                                                                                         // (N, H)
    TensorView shared;                                                                               // (N, H), optional
  };
  struct Outputs {
    TensorView out;                                                                                            // (N, H)
  };
  struct Points {
    Round constant, scaled, out;
  };
  static constexpr auto params() { return std::tuple{param("scaling", &Params::scaling, among(2.0, 2.1))}; }
  static constexpr auto inputs() {
    return std::tuple{field("routed", &Inputs::routed, "N,H"),
                      field("shared", &Inputs::shared, "N,H", Presence::optional)};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "N,H")}; }
  static constexpr auto points() {
    return std::tuple{point("constant", &Points::constant, Precision::single),
                      point("scaled", &Points::scaled, Precision::working),
                      point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity
