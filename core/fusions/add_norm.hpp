// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A residual connection and the norm after it.
#pragma once

#include "core/fusion.hpp"

namespace parity {

/// sum = residual + branch, out = rms_norm(sum). The stream is read once; `sum` is written because other nodes read it.
struct AddNorm {
  static constexpr ComponentText text{"add_norm", "sum = residual_add(residual, branch), out = rms_norm(sum)",
                                      "residual_add, rms_norm"};
  struct Params {
    double eps = 1e-6;
    double gain_offset = 1.0;
  };
  struct Inputs {
    TensorView residual;  // (..., H)
    TensorView branch;    // (..., H)
    TensorView weight;                                                                                            // (H)
  };
  struct Outputs {
    TensorView sum;  // (..., H)
    TensorView out;  // (..., H)
  };
  struct Points {};
  static constexpr auto params() {
    return std::tuple{param("eps", &Params::eps), param("gain_offset", &Params::gain_offset)};
  }
  static constexpr auto inputs() {
    return std::tuple{field("residual", &Inputs::residual, "*,H"), field("branch", &Inputs::branch, "*,H"),
                      field("weight", &Inputs::weight, "H")};
  }
  static constexpr auto outputs() {
    return std::tuple{field("sum", &Outputs::sum, "*,H"), field("out", &Outputs::out, "*,H")};
  }
  static constexpr auto points() { return std::tuple{}; }
  static std::vector<FusedPart> parts() {
    return {
        {"residual_add", {{"residual", {"residual", "*,H"}}, {"branch", {"branch", "*,H"}}}, {{"out", {"sum", "*,H"}}}},
        {"rms_norm",
         {{"x", {"0.out", "*,H"}}, {"weight", {"weight", "H"}}},
         {{"out", {"out", "*,H"}}},
         {{"eps", "eps"}, {"gain_offset", "gain_offset"}}}};
  }
};

}  // namespace parity
