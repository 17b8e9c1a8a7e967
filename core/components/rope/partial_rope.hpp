// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rotary position embedding on the first R of D channels.
#pragma once

#include "core/component.hpp"

namespace parity {

/// Pairs (i, i + R/2), i < R/2 ("NEOX" halves):
///   out[i]       = x[i] cos[i] - x[i + R/2] sin[i]
///   out[i + R/2] = x[i + R/2] cos[i] + x[i] sin[i];   channels R..D-1 pass unchanged.
/// Three roundings to T per element: each product and their sum.
struct PartialRope {
  static constexpr ComponentText text{"partial_rope", "out = x cos + rotate_half(x) sin on the first R channels",
                                      "apply_rotary_pos_emb"};
  static constexpr Traits traits{.elementwise = true, .parallel = "BAS"};
  struct Params {};
  struct Inputs {
    TensorView x;                                                                                    // (B, heads, S, D)
    TensorView cos;                                                                                         // (B, S, R)
    TensorView sin;                                                                                         // (B, S, R)
  };
  struct Outputs {
    TensorView out;                                                                                  // (B, heads, S, D)
  };
  struct Points {
    Round direct, crossed, out;
  };
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("x", &Inputs::x, "B,A,S,D"), field("cos", &Inputs::cos, "B,S,R").of(Contents::cosines),
                      field("sin", &Inputs::sin, "B,S,R").of(Contents::sines)};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "B,A,S,D")}; }
  static constexpr auto points() {
    return std::tuple{point("direct", &Points::direct, Precision::working),
                      point("crossed", &Points::crossed, Precision::working),
                      point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity
