// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Choice of the token that represents its sequence, for classification of whole sequences.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[b] = x[b, position[b]], position[b] = the last s with ids[b,s] != pad_token, or 0 if there is none. Without a
/// pad token (a negative one) it is the last token, and B must be 1. Neither mask nor inner padding matters.
struct PoolLastToken {
  static constexpr ComponentText text{"pool_last_token", "out[b] = x[b, max {s: ids[b,s] != pad_token}]",
                                      "GenericForSequenceClassification.forward"};
  static constexpr Traits traits{.parallel = "BH"};
  struct Params {
    int64_t pad_token = -1;
  };
  struct Inputs {
    TensorView x;                                                                                           // (B, S, H)
    TensorView ids;                                                                                        // (B, S) i64
  };
  struct Outputs {
    TensorView position;                                                                            // (B) i64, optional
    TensorView out;                                                                                            // (B, H)
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{param("pad_token", &Params::pad_token, among(0))}; }
  static constexpr auto inputs() {
    return std::tuple{field("x", &Inputs::x, "B,S,H"), field("ids", &Inputs::ids, "B,S").of(Contents::tokens)};
  }
  static constexpr auto outputs() {
    return std::tuple{field("position", &Outputs::position, "B", Presence::optional, Judge::exact),
                      field("out", &Outputs::out, "B,H")};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
