// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// SwiGLU-OAI activation: clamped, with gain on the sigmoid and an offset on the linear half.
#pragma once

#include "core/component.hpp"

namespace parity {

/// g = min(gate, limit), u = clamp(up, -limit, limit), gate_up = [gate | up];
/// out = (u + linear_offset) (g sigmoid(alpha g)).
/// `exponential` and `mirrored_exponential` round the exponential inside the sigmoid; no oracle does, but ports do.
/// Rounds to T after alpha g, the sigmoid, its product with g, the shifted u and the last product.
struct Swiglu {
  static constexpr ComponentText text{
      "swiglu", "out = (clamp(up) + linear_offset) min(gate, limit) sigmoid(alpha min(gate, limit))",
      "MiniMaxM3VLDenseMLP.forward"};
  static constexpr Traits traits{.elementwise = true,
                                 .exercise = {Shows::beyond, "gate_up", "limit", "no clamp is ever reached"},
                                 .parallel = "*F"};
  struct Params {
    double alpha = 1.702;        // a binary32 constant except in binary64 captures
    double limit = 7.0;          // infinity: no clamp; rounded to T: a clamp compares in the tensor's type
    double linear_offset = 1.0;  // added to the clamped linear half
  };
  struct Inputs {
    TensorView gate_up;  // (..., 2F)
  };
  struct Outputs {
    TensorView out;  // (..., F)
  };
  struct Points {
    Round constant, limit, scaled, exponential, mirrored_exponential, sigmoid, gated, shifted, out;
  };
  static constexpr auto params() {
    return std::tuple{param("alpha", &Params::alpha), param("limit", &Params::limit, among(7.0, 1.3)),
                      param("linear_offset", &Params::linear_offset, among(0.0, 1.0))};
  }
  static constexpr auto inputs() { return std::tuple{field("gate_up", &Inputs::gate_up, "*,2F").of(Contents::gates)}; }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "*,F")}; }
  static constexpr auto points() {
    return std::tuple{point("constant", &Points::constant, Precision::single),
                      point("limit", &Points::limit, Precision::working),
                      point("scaled", &Points::scaled, Precision::working),
                      point("exponential", &Points::exponential, Precision::exact),
                      point("mirrored_exponential", &Points::mirrored_exponential, Precision::exact),
                      point("sigmoid", &Points::sigmoid, Precision::working, Follows::function),
                      point("gated", &Points::gated, Precision::working),
                      point("shifted", &Points::shifted, Precision::working),
                      point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity
