// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Cross-entropy of next-token prediction.
#pragma once

#include "core/component.hpp"

namespace parity {

/// loss = mean over (b, s < S-1) with labels[b,s+1] != -100 of  log sum_v exp(logits[b,s,v]) - logits[b,s,labels[b,s+1]],
/// plus aux_coefficient aux_loss if given. Logits are widened to binary32; the result is a binary32 scalar. Without
/// counted tokens it is NaN (0 / 0), as in torch. num_items > 0 is the divisor instead of the number of counted tokens.
/// Throws Error{schema} for a label outside of [0, V) other than -100.
struct CrossEntropy {
  static constexpr ComponentText text{
      "cross_entropy", "loss = mean(logsumexp(logits[s]) - logits[s, label[s+1]]) (+ c aux)", "ForCausalLMLoss"};
  struct Params {
    double aux_coefficient = 0.0;
    int64_t label_offset = 1;  // logits[s] is compared with labels[s + label_offset]; 0: labels are aligned
    double num_items = 0.0;
  };
  struct Inputs {
    TensorView logits;                                                                                      // (B, S, V)
    TensorView labels;                                                                     // (B, S) i64, -100 = ignored
    TensorView aux_loss;                                                                                 // (), optional
  };
  struct Outputs {
    TensorView sum;                                // (), optional: before it is divided by the number of counted tokens
    TensorView loss;                                                                                               // ()
  };
  struct Points {
    Round constant, exponential, total, logarithm, term, mean, out;
  };
  static constexpr auto params() {
    return std::tuple{param("aux_coefficient", &Params::aux_coefficient, among(1e-3)),
                      param("label_offset", &Params::label_offset, among(0, 1)),
                      param("num_items", &Params::num_items, among(0.0, 3.0))};
  }
  static constexpr auto inputs() {
    return std::tuple{field("logits", &Inputs::logits, "B,S,V"),
                      field("labels", &Inputs::labels, "B,S").of(Contents::labels),
                      field("aux_loss", &Inputs::aux_loss, "", Presence::optional).of(Contents::scalar)};
  }
  static constexpr auto outputs() {
    return std::tuple{field("sum", &Outputs::sum, "", Presence::optional), field("loss", &Outputs::loss, "")};
  }
  static constexpr auto points() {
    return std::tuple{point("constant", &Points::constant, Precision::single),
                      point("exponential", &Points::exponential, Precision::single, Follows::function),
                      point("total", &Points::total, Precision::single),
                      point("logarithm", &Points::logarithm, Precision::single, Follows::function),
                      point("term", &Points::term, Precision::single),
                      point("mean", &Points::mean, Precision::single),
                      point("out", &Points::out, Precision::single)};
  }
};

}  // namespace parity
