// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Residual connection.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out = residual + branch, rounded once to T.
struct ResidualAdd {
  static constexpr ComponentText text{"residual_add", "out = residual + branch", "MiniMaxM3VLDecoderLayer.forward"};
  struct Params {};
  struct Inputs {
    TensorView residual;  // (..., H)
    TensorView branch;    // (..., H)
  };
  struct Outputs {
    TensorView out;  // (..., H)
  };
  struct Points {
    Round out;
  };
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("residual", &Inputs::residual, "*,H"), field("branch", &Inputs::branch, "*,H")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "*,H")}; }
  static constexpr auto points() { return std::tuple{point("out", &Points::out, Precision::working)}; }
};

}  // namespace parity
