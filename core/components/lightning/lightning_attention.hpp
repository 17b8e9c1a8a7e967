// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Lightning (linear) attention with its recurrent state.
#pragma once

#include "core/component.hpp"

namespace parity {

/// In exact arithmetic state_t = exp(-slope) state_{t-1} + k_t^T v_t and out_t = q_t state_t: the current token has
/// weight 1. There is no scaling and no softmax. Roundings follow the implementation's order of operations:
/// without a past, blocks of m <= Q tokens from a state of zeros:
///   intra = (q k^T * diagonal[:m, :m]) v,  inter = (q * query[:m]) state,  out = inter + intra,
///   state = state * exp(-slope m) + (k * key[last m rows])^T v;
/// with a past, token by token: state = exp(-slope) state + k^T v,  out = q state.
/// Rounds to T after every product, sum and exponential.
struct LightningAttention {
  static constexpr ComponentText text{"lightning_attention", "state = exp(-slope) state + k^T v; out = q state",
                                      "MiniMaxLightningAttention.forward"};
  static constexpr Traits traits{.parallel = "BA"};
  struct Params {};
  struct Inputs {
    TensorView q;                                                                                        // (B, A, S, D)
    TensorView k;                                                                                        // (B, A, S, D)
    TensorView v;                                                                                        // (B, A, S, D)
    TensorView past;                                            // (B, A, D, D), keys x values; absent in the first call
    TensorView slope_rate;                                                                                  // (A, 1, 1)
    TensorView query_decay;                                                                                 // (A, Q, 1)
    TensorView key_decay;                                                                                   // (A, Q, 1)
    TensorView diagonal_decay;                                                                           // (1, A, Q, Q)
  };
  struct Outputs {
    TensorView intra;                                                               // (B, A, S, D), without a past only
    TensorView inter;                                                               // (B, A, S, D), without a past only
    TensorView out;                                                                                      // (B, A, S, D)
    TensorView block_states;  // (J, B, A, D, D): before the first and after each block or token
    TensorView state;                                                                                    // (B, A, D, D)
  };
  struct Points {
    Round dot, score, decayed_score, query, key, sum, intra, inter, out, exponent, decay, increment, decayed_state,
        state, read_state;
  };
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("q", &Inputs::q, "B,A,S,D").of(Contents::factors),
                      field("k", &Inputs::k, "B,A,S,D").of(Contents::factors),
                      field("v", &Inputs::v, "B,A,S,D").of(Contents::factors),
                      field("past", &Inputs::past, "B,A,D,D", Presence::optional).of(Contents::factors),
                      field("slope_rate", &Inputs::slope_rate, "A,1,1").of(Contents::unit),
                      field("query_decay", &Inputs::query_decay, "A,Q,1").of(Contents::unit),
                      field("key_decay", &Inputs::key_decay, "A,Q,1").of(Contents::unit),
                      field("diagonal_decay", &Inputs::diagonal_decay, "1,A,Q,Q").of(Contents::unit)};
  }
  static constexpr auto outputs() {
    return std::tuple{field("intra", &Outputs::intra, "B,A,S,D", Presence::optional),
                      field("inter", &Outputs::inter, "B,A,S,D", Presence::optional),
                      field("out", &Outputs::out, "B,A,S,D"),
                      field("block_states", &Outputs::block_states, "J,B,A,D,D", Presence::optional),
                      field("state", &Outputs::state, "B,A,D,D")};
  }
  static constexpr auto points() {
    return std::tuple{point("dot", &Points::dot, Precision::single),
                      point("score", &Points::score, Precision::working),
                      point("decayed_score", &Points::decayed_score, Precision::working),
                      point("query", &Points::query, Precision::working),
                      point("key", &Points::key, Precision::working),
                      point("sum", &Points::sum, Precision::single),
                      point("intra", &Points::intra, Precision::working),
                      point("inter", &Points::inter, Precision::working),
                      point("out", &Points::out, Precision::working),
                      point("exponent", &Points::exponent, Precision::working),
                      point("decay", &Points::decay, Precision::working, Follows::function),
                      point("increment", &Points::increment, Precision::working),
                      point("decayed_state", &Points::decayed_state, Precision::working),
                      point("state", &Points::state, Precision::working),
                      point("read_state", &Points::read_state, Precision::exact)};
  }
  /// Counts pairs within a block of a token with itself or an earlier token; the decay makes all other pairs zero.
  static double flops(const AxisSizes& sizes, const ParamMap&) {
    const int64_t rows = sizes.at('S') == 1 ? 0 : sizes.at('Q') + 1;
    return elements(sizes, "BASD") * static_cast<double>(4 * sizes.at('D') + 2 * rows);
  }
};

}  // namespace parity
