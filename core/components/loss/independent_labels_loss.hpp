// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Loss of labels that do not exclude one another: binary cross-entropy of each.
#pragma once

#include "core/component.hpp"

namespace parity {

/// loss = mean over all elements of (1 - y) x - log sigmoid(x), log sigmoid(x) = min(x, 0) - log(1 + exp(-|x|)). The
/// logarithm of the sigmoid is rounded to the type of the logits; the sum is binary32.
struct IndependentLabelsLoss {
  static constexpr ComponentText text{"independent_labels_loss", "loss = mean((1 - y) x - log sigmoid(x))",
                                      "torch.nn.BCEWithLogitsLoss in ForSequenceClassificationLoss"};
  struct Params {};
  struct Inputs {
    TensorView logits;                                                                                         // (B, L)
    TensorView labels;                                                                                         // (B, L)
  };
  struct Outputs {
    TensorView loss;                                                                                               // ()
  };
  struct Points {
    Round exponential, logarithm, sigmoid, complement, product, term, total, mean;
  };
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("logits", &Inputs::logits, "B,L"),
                      field("labels", &Inputs::labels, "B,L").of(Contents::unit)};
  }
  static constexpr auto outputs() { return std::tuple{field("loss", &Outputs::loss, "")}; }
  static constexpr auto points() {
    return std::tuple{point("exponential", &Points::exponential, Precision::single, Follows::function),
                      point("logarithm", &Points::logarithm, Precision::single, Follows::function),
                      point("sigmoid", &Points::sigmoid, Precision::working, Follows::function),
                      point("complement", &Points::complement, Precision::working),
                      point("product", &Points::product, Precision::working),
                      point("term", &Points::term, Precision::working),
                      point("total", &Points::total, Precision::single),
                      point("mean", &Points::mean, Precision::working)};
  }
};

}  // namespace parity
