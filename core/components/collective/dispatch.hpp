// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Dispatch: the rows of tokens that are routed to the experts of one rank, from all ranks.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out = the rows of parts_0, parts_1, ... in this order. Row n is 0 unless some indices[n,t] is one of the rank's experts
/// [first, first + count): other rows are not sent, and must not be read. `indices` has the rows of all parts.
struct Dispatch {
  static constexpr ComponentText text{"dispatch",
                                      "out[n] = row n of parts if an indices[n,t] is in [first, first + count)",
                                      "Buffer.dispatch (DeepEP), all-to-all by the owner of an expert"};
  static constexpr Traits traits{.sent = SentRows::routed};
  struct Params {
    int64_t first = 0;  // id of the rank's first expert
    int64_t count = 1;  // number of its experts
  };
  struct Inputs {
    std::vector<TensorView> parts;  // R x (L, H)
    TensorView indices;                                                                                    // (N, T) i64
  };
  struct Outputs {
    TensorView out;                                                                                            // (N, H)
  };
  struct Points {};
  static constexpr auto params() {
    return std::tuple{param("first", &Params::first, among(0, 1)), param("count", &Params::count, among(1, 2))};
  }
  static constexpr auto inputs() {
    return std::tuple{field("parts", &Inputs::parts, "N,H").of(Contents::values, "S,H"),
                      field("indices", &Inputs::indices, "N,T").of(Contents::experts, "2S,T")};
  }
  static constexpr auto outputs() {
    return std::tuple{field("out", &Outputs::out, "N,H").of(Contents::values, "2S,H")};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
