// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Rotary position embedding of the vision tower on the first R of D channels.
#pragma once

#include "core/component.hpp"

namespace parity {

/// Pairs (i, i + R/2), i < R/2:
///   out[i]       = x[i] cos[i] - x[i + R/2] sin[i]
///   out[i + R/2] = x[i + R/2] cos[i + R/2] + x[i] sin[i + R/2];   channels R..D-1 pass unchanged.
/// Three roundings to T per element, as in the text decoder; other implementations rotate in binary32 and round once.
struct VisionRope {
  static constexpr ComponentText text{"vision_rope", "out = x cos + rotate_half(x) sin on the first R channels",
                                      "apply_rotary_pos_emb_vision"};
  static constexpr Traits traits{.elementwise = true, .parallel = "AP"};
  struct Params {};
  struct Inputs {
    TensorView x;                                                                                           // (P, A, D)
    TensorView cos;                                                                                            // (P, R)
    TensorView sin;                                                                                            // (P, R)
  };
  struct Outputs {
    TensorView out;                                                                                         // (P, A, D)
  };
  struct Points {
    Round direct, crossed, out;
  };
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("x", &Inputs::x, "P,A,D"), field("cos", &Inputs::cos, "P,R").of(Contents::cosines),
                      field("sin", &Inputs::sin, "P,R").of(Contents::sines)};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "P,A,D")}; }
  static constexpr auto points() {
    return std::tuple{point("direct", &Points::direct, Precision::working),
                      point("crossed", &Points::crossed, Precision::working),
                      point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity
