// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Router: sigmoid scores, biased choice of experts, renormalised weights.
#pragma once

#include "core/component.hpp"

namespace parity {

/// scores = sigmoid(logits); choice = scores + bias; indices = top_k of choice; weights = scaling scores[indices] / (their
/// sum + eps).
/// The bias affects only the choice. All arithmetic is in binary32. The order of slots is free: with `forced`, weights
/// follow its order and `indices` repeats it. Ids outside [0, E) have weight 0.
struct Router {
  static constexpr ComponentText text{"router",
                                      "indices = top_k(sigmoid(logits) + bias); weights = renormalised sigmoid(logits)",
                                      "MiniMaxM3VLTopKRouter"};
  /// A note suffices for a bias that changes no choice, because the judge also compares `choice`, where it is added.
  static constexpr Traits traits{.exercise = {.shows = Shows::other_choice,
                                              .field = "choice",
                                              .param = "top_k",
                                              .missing = "its bias never changes a choice",
                                              .than = "scores",
                                              .note_only = true},
                                 .parallel = "N"};
  struct Params {
    int64_t top_k = 4;
    double eps = 0.0;      // added to the sum of scores
    double scaling = 1.0;  // factor of the weights; 1 changes no bit and adds no rounding
  };
  struct Inputs {
    TensorView logits;                                                                                         // (N, E)
    TensorView bias;                                                                                              // (E)
    TensorView forced;                                                                           // (N, T) i64, optional
  };
  struct Outputs {
    TensorView scores;                                                                                         // (N, E)
    TensorView choice;                                                                                         // (N, E)
    TensorView indices;                                                                                    // (N, T) i64
    TensorView weights;                                                                                        // (N, T)
  };
  struct Points {
    Round constant, score, choice, total, weight, scaled;
  };
  static constexpr auto params() {
    return std::tuple{param("top_k", &Params::top_k, extent('T')), param("eps", &Params::eps, among(1e-6)),
                      param("scaling", &Params::scaling, among(2.0, 2.1))};
  }
  static constexpr auto inputs() {
    return std::tuple{field("logits", &Inputs::logits, "N,E").of(Contents::logits),
                      field("bias", &Inputs::bias, "E").of(Contents::bias),
                      field("forced", &Inputs::forced, "N,T", Presence::optional)};
  }
  static constexpr auto outputs() {
    return std::tuple{field("scores", &Outputs::scores, "N,E"), field("choice", &Outputs::choice, "N,E"),
                      field("indices", &Outputs::indices, "N,T", Presence::required, Judge::expert_set),
                      field("weights", &Outputs::weights, "N,T")};
  }
  static constexpr auto points() {
    return std::tuple{point("score", &Points::score, Precision::single, Follows::function),
                      point("choice", &Points::choice, Precision::single),
                      point("total", &Points::total, Precision::single),
                      point("weight", &Points::weight, Precision::single),
                      point("constant", &Points::constant, Precision::single),
                      point("scaled", &Points::scaled, Precision::single)};
  }
};

}  // namespace parity
