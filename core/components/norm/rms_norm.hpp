// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Root-mean-square normalisation with a gain: zero-centred (Gemma form) or plain.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[n,h] = x[n,h] / sqrt(mean_h(x[n,h]^2) + eps) * (gain_offset + weight[h]).
/// Every operation is in binary32, with one rounding to T at the end; plain norms also round `normalised` to T.
struct RmsNorm {
  static constexpr ComponentText text{"rms_norm", "out = x / sqrt(mean(x^2) + eps) * (gain_offset + weight)",
                                      "MiniMaxM3VLRMSNorm, MiniMaxM2RMSNorm"};
  static constexpr Traits traits{.parallel = "*"};
  struct Params {
    double eps = 1e-6;         // a binary32 constant except in binary64 captures
    double gain_offset = 1.0;  // 1: weights are stored zero-centred; 0: the weight is the gain
  };
  struct Inputs {
    TensorView x;       // (..., H)
    TensorView weight;                                                                                            // (H)
  };
  struct Outputs {
    TensorView out;  // (..., H)
  };
  struct Points {
    Round constant, square, mean, shifted, inverse, normalised, gain, out;
  };
  static constexpr auto params() {
    return std::tuple{param("eps", &Params::eps), param("gain_offset", &Params::gain_offset, among(0.0, 1.0))};
  }
  static constexpr auto inputs() {
    return std::tuple{field("x", &Inputs::x, "*,H"), field("weight", &Inputs::weight, "H")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "*,H")}; }
  static constexpr auto points() {
    return std::tuple{point("constant", &Points::constant, Precision::single),
                      point("square", &Points::square, Precision::single),
                      point("mean", &Points::mean, Precision::single),
                      point("shifted", &Points::shifted, Precision::single),
                      point("inverse", &Points::inverse, Precision::single),
                      point("normalised", &Points::normalised, Precision::single),
                      point("gain", &Points::gain, Precision::single),
                      point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity
