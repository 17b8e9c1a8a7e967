// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Output gate of lightning attention.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out = sigmoid(gate) x. Rounds to T after the sigmoid and after the product. The gate is computed from the layer's
/// normalised input; x is the normalised attention output, so the norm precedes the gate.
struct SigmoidGate {
  static constexpr ComponentText text{"sigmoid_gate", "out = sigmoid(gate) x", "MiniMaxLightningAttention.forward"};
  static constexpr Traits traits{.elementwise = true, .parallel = "*H"};
  struct Params {};
  struct Inputs {
    TensorView gate;  // (..., H)
    TensorView x;     // (..., H)
  };
  struct Outputs {
    TensorView out;  // (..., H)
  };
  struct Points {
    Round exponential, mirrored_exponential, sigmoid, out;
  };
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("gate", &Inputs::gate, "*,H"), field("x", &Inputs::x, "*,H")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "*,H")}; }
  static constexpr auto points() {
    return std::tuple{point("exponential", &Points::exponential, Precision::exact),
                      point("mirrored_exponential", &Points::mirrored_exponential, Precision::exact),
                      point("sigmoid", &Points::sigmoid, Precision::working, Follows::function),
                      point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity
