// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Decoding of a quantised matrix: 8-bit floating-point codes times one scale per block.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[n,k] = R(F(codes[n,k] scale[n / rows, k / columns])); the matrix is divided into equal blocks, one per element
/// of `scales`. With `exponents` (MXFP8) a scale is an integer e and means F(2^(e - 127)); e = 255 is infinite, and
/// none is NaN. Without scales, the codes are the parameter. Every operation is prescribed, so results are bit-exact.
struct Dequantise {
  static constexpr ComponentText text{"dequantise", "out = codes scale[block]", "Fp8Dequantize"};
  struct Params {
    bool exponents = false;
  };
  struct Inputs {
    TensorView codes;   // (..., K)
    TensorView scales;                                                                               // (P, Q), optional
  };
  struct Outputs {
    TensorView out;  // (..., K)
  };
  struct Points {
    Round scale, product, out;
  };
  static constexpr auto params() { return std::tuple{param("exponents", &Params::exponents)}; }
  static constexpr auto inputs() {
    return std::tuple{field("codes", &Inputs::codes, "*,K").of(Contents::codes, "GD,XD"),
                      field("scales", &Inputs::scales, "P,Q", Presence::optional).of(Contents::scales, "G,X")};
  }
  static constexpr auto outputs() {
    return std::tuple{
        field("out", &Outputs::out, "*,K", Presence::required, Judge::bits).of(Contents::values, "GD,XD")};
  }
  static constexpr auto points() {
    return std::tuple{point("scale", &Points::scale, Precision::single),
                      point("product", &Points::product, Precision::single),
                      point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity
