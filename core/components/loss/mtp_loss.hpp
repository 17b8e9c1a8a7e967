// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Loss of the prediction of tokens after the next one.
#pragma once

#include "core/component.hpp"

namespace parity {

/// loss = factor / D sum_d sum_s CE(logits_d[b,s], label[b,s+d]) / number of labels of the main loss. Depth d = 1, …, D
/// has no label at the last d positions of a row, nor at a position whose label belongs to another document.
/// Throws Error{schema} for a label outside of [0, V) other than -100.
struct MtpLoss {
  static constexpr ComponentText text{"mtp_loss", "loss = factor / D sum_d CE(logits_d, labels shifted by d) / labels",
                                      "calculate_mtp_loss (NeMo Automodel)"};
  struct Params {
    double factor = 0.1;
  };
  struct Inputs {
    std::vector<TensorView> logits;  // D x (B, S, V)
    TensorView labels;                                                                     // (B, S) i64, -100 = ignored
    TensorView documents;                                                // (B, S) i64, optional: number of the document
  };
  struct Outputs {
    TensorView loss;                                                                                               // ()
  };
  struct Points {
    Round constant, exponential, total, logarithm, term, mean, out;
  };
  static constexpr auto params() { return std::tuple{param("factor", &Params::factor)}; }
  static constexpr auto inputs() {
    return std::tuple{field("logits", &Inputs::logits, "B,S,V"),
                      field("labels", &Inputs::labels, "B,S").of(Contents::labels),
                      field("documents", &Inputs::documents, "B,S", Presence::optional).of(Contents::mask)};
  }
  static constexpr auto outputs() { return std::tuple{field("loss", &Outputs::loss, "")}; }
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
