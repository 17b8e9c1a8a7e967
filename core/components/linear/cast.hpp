// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Cast of a binary32 tensor to the working type.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out = x, rounded to T.
struct Cast {
  static constexpr ComponentText text{"cast", "out = x", "Tensor.to"};
  static constexpr Traits traits{.parallel = "*H"};
  struct Params {};
  struct Inputs {
    TensorView x;  // (..., H)
  };
  struct Outputs {
    TensorView out;  // (..., H)
  };
  struct Points {
    Round out;
  };
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() { return std::tuple{field("x", &Inputs::x, "*,H").of(Contents::unit)}; }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "*,H")}; }
  static constexpr auto points() { return std::tuple{point("out", &Points::out, Precision::working)}; }
};

}  // namespace parity
