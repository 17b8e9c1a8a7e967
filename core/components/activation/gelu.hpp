// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Gaussian error linear unit, exact form.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out = (x / 2) (1 + erf(x / sqrt 2)): the error function itself, not the tanh approximation. Computed in binary32,
/// where 1 + erf loses the digits of large negative x; one rounding to T. Any erf within 16 u is accepted.
struct Gelu {
  static constexpr ComponentText text{"gelu", "out = x/2 (1 + erf(x / sqrt 2))", "nn.functional.gelu"};
  static constexpr Traits traits{.elementwise = true, .parallel = "*F"};
  struct Params {};
  struct Inputs {
    TensorView x;  // (..., F)
  };
  struct Outputs {
    TensorView out;  // (..., F)
  };
  struct Points {
    Round constant, scaled, error, shifted, out;
  };
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() { return std::tuple{field("x", &Inputs::x, "*,F").of(Contents::gates)}; }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "*,F")}; }
  static constexpr auto points() {
    return std::tuple{
        point("constant", &Points::constant, Precision::single), point("scaled", &Points::scaled, Precision::single),
        point("error", &Points::error, Precision::single, Follows::function),
        point("shifted", &Points::shifted, Precision::single), point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity
