// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Linear layer, with or without bias.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[n,f] = sum_h x[n,h] weight[f,h] (+ bias[f]). Products exact, accumulation in binary32 in any order, one rounding to T.
struct Linear {
  static constexpr ComponentText text{"linear", "out[n,f] = sum_h x[n,h] weight[f,h] (+ bias[f])", "nn.Linear"};
  static constexpr Traits traits{.parallel = "*F", .summed = "H"};
  struct Params {};
  struct Inputs {
    TensorView x;       // (..., H)
    TensorView weight;                                                                                         // (F, H)
    TensorView bias;                                                          // (F), optional; one more term of the sum
  };
  struct Outputs {
    TensorView out;  // (..., F)
  };
  struct Points {
    Round sum, out;
  };
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("x", &Inputs::x, "*,H"), field("weight", &Inputs::weight, "F,H"),
                      field("bias", &Inputs::bias, "F", Presence::optional)};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "*,F")}; }
  static constexpr auto points() {
    return std::tuple{point("sum", &Points::sum, Precision::single), point("out", &Points::out, Precision::working)};
  }
  static double flops(const AxisSizes& sizes, const ParamMap&) { return 2.0 * elements(sizes, "BSHF"); }
};

}  // namespace parity
