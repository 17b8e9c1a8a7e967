// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Router: softmax scores, top-k experts, renormalised weights.
#pragma once

#include "core/component.hpp"

namespace parity {

/// scores = softmax(logits) over all experts in binary32; indices = top_k of scores; weights = scores[indices] / their sum,
/// rounded to T. The order of slots is free: with `forced`, weights follow its order and `indices` repeats it. Ids
/// outside [0, E) have weight 0.
struct SoftmaxRouter {
  static constexpr ComponentText text{"softmax_router",
                                      "indices = top_k(softmax(logits)); weights = renormalised softmax(logits)",
                                      "MiniMaxSparseMoeBlock.forward"};
  static constexpr Traits traits{.parallel = "N"};
  struct Params {
    int64_t top_k = 2;
  };
  struct Inputs {
    TensorView logits;                                                                                         // (N, E)
    TensorView forced;                                                                           // (N, T) i64, optional
  };
  struct Outputs {
    TensorView scores;                                                                                         // (N, E)
    TensorView indices;                                                                                    // (N, T) i64
    TensorView weights;                                                                                        // (N, T)
  };
  struct Points {
    Round exponential, sum, score, total, weight, out;
  };
  static constexpr auto params() { return std::tuple{param("top_k", &Params::top_k, extent('T'))}; }
  static constexpr auto inputs() {
    return std::tuple{field("logits", &Inputs::logits, "N,E").of(Contents::logits),
                      field("forced", &Inputs::forced, "N,T", Presence::optional)};
  }
  static constexpr auto outputs() {
    return std::tuple{field("scores", &Outputs::scores, "N,E"),
                      field("indices", &Outputs::indices, "N,T", Presence::required, Judge::expert_set),
                      field("weights", &Outputs::weights, "N,T")};
  }
  static constexpr auto points() {
    return std::tuple{point("exponential", &Points::exponential, Precision::single, Follows::function),
                      point("sum", &Points::sum, Precision::single),
                      point("score", &Points::score, Precision::single),
                      point("total", &Points::total, Precision::single),
                      point("weight", &Points::weight, Precision::single),
                      point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity
