// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Routed experts: each token's gated experts, weighted and summed.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[n] = sum_t weights[n,t] down[e](swiglu(gate_up[e](x[n]))), e = indices[n,t]. With alpha 1, no limit and
/// linear_offset 0 the activation is silu(gate) up.
/// Rounds as linear and swiglu do; then y * weight in binary32 (slot_weighted), rounded to T and accumulated in T in
/// ascending expert id. The banks return the weights of one expert at a time.
struct MoeExperts {
  static constexpr ComponentText text{"moe_experts", "out[n] = sum_t w[n,t] down_e(swiglu(gate_up_e(x[n])))",
                                      "MiniMaxM3VLExperts, MiniMaxM2Experts"};
  static constexpr Traits traits{.part = "experts", .parallel = "N", .summed = "F"};
  struct Params {
    double alpha = 1.702;
    double limit = 7.0;          // infinity: no clamp; rounded to T: a clamp compares in the tensor's type
    double linear_offset = 1.0;  // added to the clamped linear half
  };
  struct Inputs {
    TensorView x;                                                                                              // (N, H)
    TensorView indices;                                                                                    // (N, T) i64
    TensorView weights;                                                                                        // (N, T)
    const WeightBank* gate_up{};  // E x (2F, H)
    const WeightBank* down{};     // E x (H, F)
  };
  struct Outputs {
    TensorView slot_activation;                                                                   // (N, T, F), optional
    TensorView slot_weighted;                                                                     // (N, T, H), optional
    TensorView out;                                                                                            // (N, H)
  };
  struct Points {
    Round constant, limit, sum, gate_up, scaled, exponential, mirrored_exponential, sigmoid, gated, shifted, activation,
        down, weighted, addend, out;
  };
  static constexpr auto params() {
    return std::tuple{param("alpha", &Params::alpha), param("limit", &Params::limit, among(7.0, 1.3)),
                      param("linear_offset", &Params::linear_offset, among(0.0, 1.0))};
  }
  static constexpr auto inputs() {
    return std::tuple{field("x", &Inputs::x, "N,H"), field("indices", &Inputs::indices, "N,T").of(Contents::experts),
                      field("weights", &Inputs::weights, "N,T").of(Contents::unit),
                      field("gate_up", &Inputs::gate_up, "2F,H"), field("down", &Inputs::down, "H,F")};
  }
  static constexpr auto outputs() {
    return std::tuple{field("slot_activation", &Outputs::slot_activation, "N,T,F", Presence::optional),
                      field("slot_weighted", &Outputs::slot_weighted, "N,T,H", Presence::optional),
                      field("out", &Outputs::out, "N,H")};
  }
  static constexpr auto points() {
    return std::tuple{point("constant", &Points::constant, Precision::single),
                      point("limit", &Points::limit, Precision::working),
                      point("sum", &Points::sum, Precision::single),
                      point("gate_up", &Points::gate_up, Precision::working),
                      point("scaled", &Points::scaled, Precision::working),
                      point("exponential", &Points::exponential, Precision::exact),
                      point("mirrored_exponential", &Points::mirrored_exponential, Precision::exact),
                      point("sigmoid", &Points::sigmoid, Precision::working, Follows::function),
                      point("gated", &Points::gated, Precision::working),
                      point("shifted", &Points::shifted, Precision::working),
                      point("activation", &Points::activation, Precision::working),
                      point("down", &Points::down, Precision::working),
                      point("weighted", &Points::weighted, Precision::single),
                      point("addend", &Points::addend, Precision::working),
                      point("out", &Points::out, Precision::working)};
  }
  static double flops(const AxisSizes& sizes, const ParamMap&) { return 6.0 * elements(sizes, "NTHF"); }
};

}  // namespace parity
