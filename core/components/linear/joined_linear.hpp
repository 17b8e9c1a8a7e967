// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Linear layer over the concatenation of two inputs.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[n,f] = sum_h first[n,h] weight[f,h] + second[n,h] weight[f,H+h]: one sum of 2H terms in binary32, one rounding to T.
struct JoinedLinear {
  static constexpr ComponentText text{"joined_linear", "out = [first | second] weight^T",
                                      "eh_proj of mtp.py (NeMo Automodel)"};
  static constexpr Traits traits{.parallel = "*F"};
  struct Params {};
  struct Inputs {
    TensorView first;   // (..., H)
    TensorView second;  // (..., H)
    TensorView weight;                                                                                        // (F, 2H)
  };
  struct Outputs {
    TensorView out;  // (..., F)
  };
  struct Points {
    Round sum, out;
  };
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("first", &Inputs::first, "*,H"), field("second", &Inputs::second, "*,H"),
                      field("weight", &Inputs::weight, "F,2H")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "*,F")}; }
  static constexpr auto points() {
    return std::tuple{point("sum", &Points::sum, Precision::single), point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity
