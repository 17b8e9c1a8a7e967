// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Loss for real-valued labels: the mean squared error.
#pragma once

#include "core/component.hpp"

namespace parity {

/// loss = mean over all elements of (logits - labels)^2. Difference, square and mean are rounded to the type of the
/// logits; the sum is binary32.
struct SquaredError {
  static constexpr ComponentText text{"squared_error", "loss = mean((logits - labels)^2)",
                                      "torch.nn.MSELoss in ForSequenceClassificationLoss"};
  struct Params {};
  struct Inputs {
    TensorView logits;                                                                                         // (B, L)
    TensorView labels;                                                                                         // (B, L)
  };
  struct Outputs {
    TensorView loss;                                                                                               // ()
  };
  struct Points {
    Round difference, square, total, mean;
  };
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("logits", &Inputs::logits, "B,L"), field("labels", &Inputs::labels, "B,L")};
  }
  static constexpr auto outputs() { return std::tuple{field("loss", &Outputs::loss, "")}; }
  static constexpr auto points() {
    return std::tuple{point("difference", &Points::difference, Precision::working),
                      point("square", &Points::square, Precision::working),
                      point("total", &Points::total, Precision::single),
                      point("mean", &Points::mean, Precision::working)};
  }
};

}  // namespace parity
