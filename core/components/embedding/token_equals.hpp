// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Placeholder mask: the tokens that images or videos replace.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[b,s] = ids[b,s] == token.
struct TokenEquals {
  static constexpr ComponentText text{"token_equals", "out = ids == token",
                                      "MiniMaxM3 _embed_and_splice (NeMo Automodel)"};
  static constexpr Traits traits{.parallel = "BS"};
  struct Params {
    int64_t token = 0;
  };
  struct Inputs {
    TensorView ids;                                                                                        // (B, S) i64
  };
  struct Outputs {
    TensorView out;                                                                                       // (B, S) bool
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{param("token", &Params::token)}; }
  static constexpr auto inputs() { return std::tuple{field("ids", &Inputs::ids, "B,S").of(Contents::spliced)}; }
  static constexpr auto outputs() {
    return std::tuple{field("out", &Outputs::out, "B,S", Presence::required, Judge::exact)};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
