// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Layer normalisation with gain and bias.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[n,h] = (x[n,h] - mean) / sqrt(variance + eps) * weight[h] + bias[h]; mean and (biased) variance over h.
/// Every operation is in binary32, with one rounding to T at the end. Torch's kernel computes x r + (-mean r), not (x -
/// mean) r; its binary32 roundings are visible where the mean is much larger than the deviations.
struct LayerNorm {
  static constexpr ComponentText text{"layer_norm", "out = (x - mean) / sqrt(var + eps) * weight + bias",
                                      "nn.LayerNorm"};
  static constexpr Traits traits{.parallel = "*"};
  struct Params {
    double eps = 1e-5;
  };
  struct Inputs {
    TensorView x;       // (..., H)
    TensorView weight;                                                                                            // (H)
    TensorView bias;                                                                                              // (H)
  };
  struct Outputs {
    TensorView out;  // (..., H)
  };
  struct Points {
    Round mean, deviation, variance, shifted, inverse, scaled, offset, normalised, gained, out;
  };
  static constexpr auto params() { return std::tuple{param("eps", &Params::eps, among(1e-6))}; }
  static constexpr auto inputs() {
    return std::tuple{field("x", &Inputs::x, "*,H"), field("weight", &Inputs::weight, "H"),
                      field("bias", &Inputs::bias, "H")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "*,H")}; }
  static constexpr auto points() {
    return std::tuple{point("mean", &Points::mean, Precision::single),
                      point("deviation", &Points::deviation, Precision::single),
                      point("variance", &Points::variance, Precision::single),
                      point("shifted", &Points::shifted, Precision::single),
                      point("inverse", &Points::inverse, Precision::single),
                      point("scaled", &Points::scaled, Precision::single),
                      point("offset", &Points::offset, Precision::single),
                      point("normalised", &Points::normalised, Precision::single),
                      point("gained", &Points::gained, Precision::single),
                      point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity
