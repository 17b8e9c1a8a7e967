// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Residual connection, weighted or not.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out = residual_factor residual + branch_factor branch. Rounds to T after each product and after the sum; a factor of
/// 1 changes no bit and adds no rounding.
struct ResidualAdd {
  static constexpr ComponentText text{"residual_add", "out = residual_factor residual + branch_factor branch",
                                      "MiniMaxM3VLDecoderLayer.forward | MiniMaxDecoderLayer.forward"};
  static constexpr Traits traits{.elementwise = true, .parallel = "*H"};
  struct Params {
    double residual_factor = 1.0;  // Text-01: alpha; binary32 constants except in binary64 captures
    double branch_factor = 1.0;    // Text-01: beta
  };
  struct Inputs {
    TensorView residual;  // (..., H)
    TensorView branch;    // (..., H)
  };
  struct Outputs {
    TensorView out;  // (..., H)
  };
  struct Points {
    Round constant, scaled_residual, scaled_branch, out;
  };
  static constexpr auto params() {
    return std::tuple{param("residual_factor", &Params::residual_factor, among(1.0, 3.55)),
                      param("branch_factor", &Params::branch_factor, among(1.0, 0.75))};
  }
  static constexpr auto inputs() {
    return std::tuple{field("residual", &Inputs::residual, "*,H"), field("branch", &Inputs::branch, "*,H")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "*,H")}; }
  static constexpr auto points() {
    return std::tuple{point("constant", &Points::constant, Precision::single),
                      point("scaled_residual", &Points::scaled_residual, Precision::working),
                      point("scaled_branch", &Points::scaled_branch, Precision::working),
                      point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity
