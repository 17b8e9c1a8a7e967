// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// SiLU, element by element.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out = x sigmoid(x), computed in binary32 and rounded to T once.
struct Silu {
  static constexpr ComponentText text{"silu", "out = x sigmoid(x)", "ACT2FN[\"silu\"]"};
  static constexpr Traits traits{.elementwise = true, .parallel = "*F"};
  struct Params {};
  struct Inputs {
    TensorView x;  // (..., F)
  };
  struct Outputs {
    TensorView out;  // (..., F)
  };
  struct Points {
    Round exponential, mirrored_exponential, sigmoid, out;
  };
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() { return std::tuple{field("x", &Inputs::x, "*,F")}; }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "*,F")}; }
  static constexpr auto points() {
    return std::tuple{point("exponential", &Points::exponential, Precision::exact),
                      point("mirrored_exponential", &Points::mirrored_exponential, Precision::exact),
                      point("sigmoid", &Points::sigmoid, Precision::single, Follows::function),
                      point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity
