// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Token embedding: row gather from the embedding table.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[b,s,:] = table[ids[b,s], :], without scale or rounding. Throws Error{schema} for ids outside of the table.
struct TokenEmbedding {
  static constexpr ComponentText text{"token_embedding", "out[b,s,:] = table[ids[b,s],:]", "nn.Embedding"};
  static constexpr Traits traits{.parallel = "BSH"};
  struct Params {};
  struct Inputs {
    TensorView ids;                                                                                        // (B, S) i64
    TensorView table;                                                                                          // (V, H)
  };
  struct Outputs {
    TensorView out;                                                                                         // (B, S, H)
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("ids", &Inputs::ids, "B,S").of(Contents::tokens), field("table", &Inputs::table, "V,H")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "B,S,H")}; }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
