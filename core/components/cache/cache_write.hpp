// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Cache write: this call's keys (values, index keys) written into a buffer of fixed length.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out = past, or zeros in the first call, with out[:, :, filled..filled+S) = fresh. K is the length of the buffer, not
/// the number of slots in use: the unused tail remains zero. Only moves data, so results are bit-exact. Throws
/// Error{schema} when the fresh tokens do not fit into the buffer.
struct CacheWrite {
  static constexpr ComponentText text{"cache_write",
                                      "out = past with fresh in slots filled … filled + S - 1, zeros after them",
                                      "StaticLayer.update, MiniMaxM3VLSparseStaticCacheLayer.update_index"};
  static constexpr Traits traits{.parallel = "BGD"};
  struct Params {
    int64_t filled = 0;  // slots that earlier calls wrote
  };
  struct Inputs {
    TensorView past;                                                           // (B, G, K, D); absent in the first call
    TensorView fresh;                                                                                    // (B, G, S, D)
  };
  struct Outputs {
    TensorView out;                                                                                      // (B, G, K, D)
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{param("filled", &Params::filled)}; }
  static constexpr auto inputs() {
    return std::tuple{field("past", &Inputs::past, "B,G,K,D", Presence::optional),
                      field("fresh", &Inputs::fresh, "B,G,S,D")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "B,G,K,D")}; }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
