// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Update of the correction bias after a training step.
#pragma once

#include "core/component.hpp"

namespace parity {

/// before = bias;  after[e] = bias[e] + rate sign(mean(load) - load[e]), in binary32; sign(0) = 0.
struct RouterBiasUpdate {
  static constexpr ComponentText text{"router_bias_update", "after = bias + rate sign(mean(load) - load)",
                                      "Gate.update_bias (NeMo Automodel)"};
  struct Params {
    double rate = 1e-3;
  };
  struct Inputs {
    TensorView bias;                                                                                              // (E)
    TensorView load;                                                                    // (E) i64, of all micro-batches
  };
  struct Outputs {
    TensorView before;                                                                                            // (E)
    TensorView after;                                                                                             // (E)
  };
  struct Points {
    Round constant, out;
  };
  static constexpr auto params() { return std::tuple{param("rate", &Params::rate)}; }
  static constexpr auto inputs() {
    return std::tuple{field("bias", &Inputs::bias, "E").of(Contents::bias),
                      field("load", &Inputs::load, "E").of(Contents::mask)};
  }
  static constexpr auto outputs() {
    return std::tuple{field("before", &Outputs::before, "E"), field("after", &Outputs::after, "E")};
  }
  static constexpr auto points() {
    return std::tuple{point("constant", &Points::constant, Precision::single),
                      point("out", &Points::out, Precision::single)};
  }
};

}  // namespace parity
