// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Decay tables of lightning attention.
#pragma once

#include "core/component.hpp"

namespace parity {

/// slope[a] = 2^(-8 (a + 1) / A) (1 - layer / (layers - 1 + depth_epsilon) + 1e-5);  i, j = 1 .. Q:
/// query[a,i] = exp(-slope i), key[a,i] = exp(-slope (Q - i)), diagonal[a,i,j] = exp(-slope (i - j)) for i >= j, else 0.
/// The tables are persistent buffers: those in the checkpoint (`stored_*`) are used unchanged. A loader that computes
/// them under default type T rounds every operation to T, which is how the rounding points are set.
struct LightningTables {
  static constexpr ComponentText text{"lightning_tables", "exp(-slope i), exp(-slope (Q - i)), exp(-slope (i - j))",
                                      "MiniMaxLightningAttention.decay_factors"};
  struct Params {
    int64_t layer = 0;
    int64_t layers = 1;
    double depth_epsilon = 1e-5;  // 0: the original code
    bool interpolated = false;    // ALiBi's slopes for head counts that are no power of two (original code)
  };
  struct Inputs {
    TensorView stored_slope_rate;                                                         // (A, 1, 1); all four or none
    TensorView stored_query_decay;                                                                          // (A, Q, 1)
    TensorView stored_key_decay;                                                                            // (A, Q, 1)
    TensorView stored_diagonal_decay;                                                                    // (1, A, Q, Q)
  };
  struct Outputs {
    TensorView slope_rate;                                                                                  // (A, 1, 1)
    TensorView query_decay;                                                                                 // (A, Q, 1)
    TensorView key_decay;                                                                                   // (A, Q, 1)
    TensorView diagonal_decay;                                                                           // (1, A, Q, Q)
  };
  struct Points {
    Round base, power, factor, slope, exponent, decay;
  };
  static constexpr auto params() {
    return std::tuple{param("layer", &Params::layer, among(0, 1, 2)), param("layers", &Params::layers, among(3, 4, 5)),
                      param("depth_epsilon", &Params::depth_epsilon, among(0.0, 1e-5)),
                      param("interpolated", &Params::interpolated)};
  }
  static constexpr auto inputs() {
    return std::tuple{field("stored_slope_rate", &Inputs::stored_slope_rate, "A,1,1", Presence::optional),
                      field("stored_query_decay", &Inputs::stored_query_decay, "A,Q,1", Presence::optional),
                      field("stored_key_decay", &Inputs::stored_key_decay, "A,Q,1", Presence::optional),
                      field("stored_diagonal_decay", &Inputs::stored_diagonal_decay, "1,A,Q,Q", Presence::optional)
                          .of(Contents::unit)};
  }
  static constexpr auto outputs() {
    return std::tuple{
        field("slope_rate", &Outputs::slope_rate, "A,1,1"), field("query_decay", &Outputs::query_decay, "A,Q,1"),
        field("key_decay", &Outputs::key_decay, "A,Q,1"), field("diagonal_decay", &Outputs::diagonal_decay, "1,A,Q,Q")};
  }
  static constexpr auto points() {
    return std::tuple{point("base", &Points::base, Precision::working),
                      point("power", &Points::power, Precision::working),
                      point("factor", &Points::factor, Precision::single),
                      point("slope", &Points::slope, Precision::working),
                      point("exponent", &Points::exponent, Precision::working),
                      point("decay", &Points::decay, Precision::working, Follows::function)};
  }
};

}  // namespace parity
