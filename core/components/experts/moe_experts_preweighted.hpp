// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Routed experts whose routing weight is applied before the down projection.
#pragma once

#include "core/component.hpp"

namespace parity {

/// sum[n] = sum_t down[e](w[n,t] swiglu(gate_up[e](x[n]))), e = indices[n,t], over experts in ascending order, in binary32.
/// The activation and its weight are one binary32 expression, rounded to T once (slot_activation). Down projections are
/// rounded to T (slot_weighted) and summed in binary32. All outputs are 0 for padding tokens.
struct MoeExpertsPreweighted {
  static constexpr ComponentText text{"moe_experts_preweighted",
                                      "sum[n] = sum_t down_e(w[n,t] swiglu(gate_up_e(x[n])))",
                                      "GroupedExperts (NeMo Automodel)"};
  static constexpr Traits traits{.parallel = "N", .summed = "F"};
  struct Params {
    double alpha = 1.702;
    double limit = 7.0;          // infinity: no clamp
    double linear_offset = 1.0;  // added to the clamped linear half
    int64_t first_expert = 0;    // id of the first expert that this process owns; other processes' experts add nothing
    int64_t experts = 0;         // number of experts that this process owns; 0: all
  };
  struct Inputs {
    TensorView x;                                                                                              // (N, H)
    TensorView indices;                                                                                    // (N, T) i64
    TensorView weights;                                                                                        // (N, T)
    TensorView token_mask;                                                                         // (N) bool, optional
    const WeightBank* gate_up{};  // E x (2F, H)
    const WeightBank* down{};     // E x (H, F)
  };
  struct Outputs {
    TensorView slot_activation;                                                                   // (N, T, F), optional
    TensorView slot_weighted;                                                                     // (N, T, H), optional
    TensorView sum;                                                                                   // (N, H) binary32
  };
  struct Points {
    Round constant, limit, sum, gate_up, scaled, exponential, mirrored_exponential, sigmoid, gated, shifted, product,
        weighted, activation, down, total;
  };
  static constexpr auto params() {
    return std::tuple{param("alpha", &Params::alpha), param("limit", &Params::limit, among(7.0, 1.3)),
                      param("linear_offset", &Params::linear_offset, among(0.0, 1.0)),
                      param("first_expert", &Params::first_expert, among(0, 1)),
                      param("experts", &Params::experts, among(0, 1))};
  }
  static constexpr auto inputs() {
    return std::tuple{field("x", &Inputs::x, "N,H"),
                      field("indices", &Inputs::indices, "N,T").of(Contents::experts),
                      field("weights", &Inputs::weights, "N,T").of(Contents::unit),
                      field("token_mask", &Inputs::token_mask, "N", Presence::optional).of(Contents::mask),
                      field("gate_up", &Inputs::gate_up, "2F,H"),
                      field("down", &Inputs::down, "H,F")};
  }
  static constexpr auto outputs() {
    return std::tuple{field("slot_activation", &Outputs::slot_activation, "N,T,F", Presence::optional),
                      field("slot_weighted", &Outputs::slot_weighted, "N,T,H", Presence::optional),
                      field("sum", &Outputs::sum, "N,H")};
  }
  static constexpr auto points() {
    return std::tuple{point("constant", &Points::constant, Precision::single),
                      point("limit", &Points::limit, Precision::single),
                      point("sum", &Points::sum, Precision::single),
                      point("gate_up", &Points::gate_up, Precision::working),
                      point("scaled", &Points::scaled, Precision::single),
                      point("exponential", &Points::exponential, Precision::exact),
                      point("mirrored_exponential", &Points::mirrored_exponential, Precision::exact),
                      point("sigmoid", &Points::sigmoid, Precision::single, Follows::function),
                      point("gated", &Points::gated, Precision::single),
                      point("shifted", &Points::shifted, Precision::single),
                      point("product", &Points::product, Precision::single),
                      point("weighted", &Points::weighted, Precision::single),
                      point("activation", &Points::activation, Precision::working),
                      point("down", &Points::down, Precision::working),
                      point("total", &Points::total, Precision::single)};
  }
  static double flops(const AxisSizes& sizes, const ParamMap&) { return 6.0 * elements(sizes, "NTHF"); }
};

}  // namespace parity
