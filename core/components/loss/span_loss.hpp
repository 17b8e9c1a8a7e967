// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Loss of a span: where an answer starts and ends.
#pragma once

#include "core/component.hpp"

namespace parity {

/// loss = (CE(logits[:,:,0], start) + CE(logits[:,:,1], end)) / 2, in the type of the logits. The classes are the
/// positions of a sequence. Negative targets become 0; the mean excludes sequences whose target is S or more.
/// num_items > 0 is the divisor of both sums instead of the number of counted sequences.
struct SpanLoss {
  static constexpr ComponentText text{"span_loss", "loss = (CE(logits[:,0], start) + CE(logits[:,1], end)) / 2",
                                      "ForQuestionAnsweringLoss"};
  struct Params {
    double num_items = 0.0;
  };
  struct Inputs {
    TensorView logits;  // (B, S, 2): starts, ends
    TensorView start;                                                                                         // (B) i64
    TensorView end;                                                                                           // (B) i64
  };
  struct Outputs {
    TensorView loss;                                                                                               // ()
  };
  struct Points {
    Round exponential, total, logarithm, term, mean, out;
  };
  static constexpr auto params() { return std::tuple{param("num_items", &Params::num_items, among(0.0, 3.0))}; }
  static constexpr auto inputs() {
    return std::tuple{field("logits", &Inputs::logits, "B,S,2"), field("start", &Inputs::start, "B").of(Contents::rows),
                      field("end", &Inputs::end, "B").of(Contents::rows)};
  }
  static constexpr auto outputs() { return std::tuple{field("loss", &Outputs::loss, "")}; }
  static constexpr auto points() {
    return std::tuple{point("exponential", &Points::exponential, Precision::single, Follows::function),
                      point("total", &Points::total, Precision::single),
                      point("logarithm", &Points::logarithm, Precision::single, Follows::function),
                      point("term", &Points::term, Precision::working),
                      point("mean", &Points::mean, Precision::working),
                      point("out", &Points::out, Precision::working)};
  }
};

}  // namespace parity
