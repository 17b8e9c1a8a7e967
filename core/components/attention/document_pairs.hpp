// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which token may see which slot when several documents are packed into one sequence.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[b,s,j] = documents[b,j] = documents[b,positions[b,s]] and valid[b,j]. The order of the tokens is not considered.
/// Throws Error{schema} for a slot that is not one of K.
struct DocumentPairs {
  static constexpr ComponentText text{"document_pairs", "out[s,j] = document[j] = document[slot of s] and valid[j]",
                                      "mask predicate of cp_sparse_attn.py (NeMo Automodel)"};
  static constexpr Traits traits{.parallel = "B"};
  struct Params {};
  struct Inputs {
    TensorView documents;                                                                                  // (B, K) i64
    TensorView valid;                                                           // (B, K) bool, 1 = real token; optional
    TensorView positions;                                                             // (B, S) i64, slots of the tokens
  };
  struct Outputs {
    TensorView out;                                                                                    // (B, S, K) bool
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("documents", &Inputs::documents, "B,K").of(Contents::mask),
                      field("valid", &Inputs::valid, "B,K", Presence::optional).of(Contents::mask),
                      field("positions", &Inputs::positions, "B,S").of(Contents::places)};
  }
  static constexpr auto outputs() {
    return std::tuple{field("out", &Outputs::out, "B,S,K", Presence::required, Judge::exact)};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
