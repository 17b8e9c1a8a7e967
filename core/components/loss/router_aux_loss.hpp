// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Load-balancing loss of the router (Switch Transformer, equations 4-6), over all MoE layers.
#pragma once

#include "core/component.hpp"

namespace parity {

/// P = softmax(logits) over the rows of all layers; sel = top_k(P) (no correction bias, softmax instead of sigmoid);
/// aux = E sum_{t,e} f[t,e] p[e],  f[t,e] = weighted mean of 1[sel[n,t] = e],  p[e] = weighted mean of P[n,e],
/// weighted by the attention mask (tiled over the layers). Softmax, the column sums of P (added up in binary32) and p are
/// rounded to the logits' own type T. The f are counts and stay binary32 even in a binary64 capture.
struct RouterAuxLoss {
  static constexpr ComponentText text{"router_aux_loss", "aux = E sum_{t,e} mean(1[sel_t = e]) mean(softmax(logits)_e)",
                                      "load_balancing_loss_func"};
  struct Params {
    int64_t top_k = 4;
    bool pooled_slots = false;  // f is counted over all slots, which rounds once per expert instead of top_k times
  };
  struct Inputs {
    std::vector<TensorView> logits;  // one (N, E) per MoE layer
    TensorView mask;                                        // (B, K) i64; its last N / B columns are this call's tokens
  };
  struct Outputs {
    TensorView loss;                                                                                               // ()
  };
  struct Points {
    Round exponential, total, probability, sum, column, mean, share, out;
  };
  static constexpr auto params() {
    return std::tuple{param("top_k", &Params::top_k, extent('T')), param("pooled_slots", &Params::pooled_slots)};
  }
  static constexpr auto inputs() {
    return std::tuple{field("logits", &Inputs::logits, "N,E"), field("mask", &Inputs::mask, "B,K").of(Contents::mask)};
  }
  static constexpr auto outputs() { return std::tuple{field("loss", &Outputs::loss, "")}; }
  static constexpr auto points() {
    return std::tuple{point("exponential", &Points::exponential, Precision::single, Follows::function),
                      point("total", &Points::total, Precision::single),
                      point("probability", &Points::probability, Precision::working),
                      point("sum", &Points::sum, Precision::single),
                      point("column", &Points::column, Precision::working),
                      point("mean", &Points::mean, Precision::working),
                      point("share", &Points::share, Precision::binary32),
                      point("out", &Points::out, Precision::single)};
  }
};

}  // namespace parity
