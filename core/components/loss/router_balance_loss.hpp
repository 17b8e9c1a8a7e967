// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Auxiliary loss of one layer that balances the load of its experts.
#pragma once

#include "core/component.hpp"

namespace parity {

/// share[n,e] = scores[n,e] / (sum_e scores[n,e] + eps), rounded to T;  f[e] = load[e] E / (k n);  P[e] = sum_n share[n,e] / n;
/// loss = sum_e f[e] P[e] in binary32, over the n real tokens.
struct RouterBalanceLoss {
  static constexpr ComponentText text{"router_balance_loss", "loss = sum_e (load_e E / (k n)) mean_n(share_ne)",
                                      "Gate._compute_aux_loss (NeMo Automodel)"};
  struct Params {
    int64_t top_k = 4;
    double eps = 0.0;  // added to the sum of scores
  };
  struct Inputs {
    TensorView scores;                                                                                         // (N, E)
    TensorView load;                                                                                          // (E) i64
    TensorView token_mask;                                                                         // (N) bool, optional
  };
  struct Outputs {
    TensorView loss;                                                                                               // ()
  };
  struct Points {
    Round total, quotient, share, column, mean, load, out;
  };
  static constexpr auto params() {
    return std::tuple{param("top_k", &Params::top_k, extent('T')), param("eps", &Params::eps, among(1e-6))};
  }
  static constexpr auto inputs() {
    return std::tuple{field("scores", &Inputs::scores, "N,E").of(Contents::unit),
                      field("load", &Inputs::load, "E").of(Contents::mask),
                      field("token_mask", &Inputs::token_mask, "N", Presence::optional).of(Contents::mask)};
  }
  static constexpr auto outputs() { return std::tuple{field("loss", &Outputs::loss, "")}; }
  static constexpr auto points() {
    return std::tuple{
        point("total", &Points::total, Precision::single),  point("quotient", &Points::quotient, Precision::single),
        point("share", &Points::share, Precision::working), point("column", &Points::column, Precision::single),
        point("mean", &Points::mean, Precision::single),    point("load", &Points::load, Precision::single),
        point("out", &Points::out, Precision::single)};
  }
};

}  // namespace parity
