// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A linear layer whose weight stays quantised in memory.
#pragma once

#include "core/fusion.hpp"

namespace parity {

/// out = linear(x, dequantise(codes, scales)), decoded tile by tile. A scale is the u8 exponent of a block of codes.
/// The kernel is fast for blocks of one row and 32 columns.
struct Mxfp8Linear {
  static constexpr ComponentText text{"mxfp8_linear", "out = linear(x, dequantise(codes, scales))",
                                      "dequantise, linear"};
  struct Params {};
  struct Inputs {
    TensorView x;       // (..., H)
    TensorView codes;                                                                                     // (F, H) e4m3
    TensorView scales;                                                                                      // (P, Q) u8
  };
  struct Outputs {
    TensorView out;  // (..., F)
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("x", &Inputs::x, "*,H"), field("codes", &Inputs::codes, "F,H"),
                      field("scales", &Inputs::scales, "P,Q")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "*,F")}; }
  static constexpr auto points() { return std::tuple{}; }
  static std::vector<FusedPart> parts() {
    return {{.component = "dequantise",
             .inputs = {{"codes", {"codes", "F,H"}}, {"scales", {"scales", "P,Q"}}},
             .outputs = {{"out", {"", "F,H"}}},
             .fixed = {{"exponents", true}},
             .of_parameter = true},
            {"linear", {{"x", {"x", "*,H"}}, {"weight", {"0.out", "F,H"}}}, {{"out", {"out", "*,F"}}}}};
  }
};

}  // namespace parity
