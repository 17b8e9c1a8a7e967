// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Token embedding: row gather from the embedding table.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[b,s,:] = table[ids[b,s] - first_word, :], without scale or rounding; 0 for words outside of a rank's part of the
/// table. Throws Error{schema} for ids outside of the vocabulary.
struct TokenEmbedding {
  static constexpr ComponentText text{"token_embedding", "out[b,s,:] = table[ids[b,s] - first,:]", "nn.Embedding"};
  static constexpr Traits traits{.parallel = "BSH", .summed = "V"};
  struct Params {
    int64_t first_word = 0;  // id of the table's first row
    int64_t vocabulary = 0;  // number of words, if the table is a part; 0: the table has all of them
  };
  struct Inputs {
    TensorView ids;                                                                                        // (B, S) i64
    TensorView table;                                                                                          // (V, H)
  };
  struct Outputs {
    TensorView out;                                                                                         // (B, S, H)
  };
  struct Points {};
  static constexpr auto params() {
    return std::tuple{param("first_word", &Params::first_word), param("vocabulary", &Params::vocabulary)};
  }
  static constexpr auto inputs() {
    return std::tuple{field("ids", &Inputs::ids, "B,S").of(Contents::tokens), field("table", &Inputs::table, "V,H")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "B,S,H")}; }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
