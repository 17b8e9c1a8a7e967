// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Expert load: the number of tokens that are routed to each expert.
#pragma once

#include "core/component.hpp"

namespace parity {

/// load[e] = number of (n, t) with indices[n,t] = e and token n real; without a token mask all tokens are real. Ids
/// outside [0, E) are not counted.
struct ExpertLoad {
  static constexpr ComponentText text{"expert_load", "load[e] = #{(n, t): indices[n,t] = e, token n real}",
                                      "Gate (NeMo Automodel)"};
  struct Params {};
  struct Inputs {
    TensorView indices;                                                                                    // (N, T) i64
    TensorView token_mask;                                                                         // (N) bool, optional
  };
  struct Outputs {
    TensorView load;                                                                                          // (E) i64
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("indices", &Inputs::indices, "N,T").of(Contents::experts),
                      field("token_mask", &Inputs::token_mask, "N", Presence::optional).of(Contents::mask)};
  }
  static constexpr auto outputs() {
    return std::tuple{field("load", &Outputs::load, "E", Presence::required, Judge::exact)};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
