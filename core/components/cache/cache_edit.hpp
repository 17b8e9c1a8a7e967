// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Cache edit: the change that beam search, batching or speculative decoding makes to a cache between two calls.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[b, :, k, :] = past[rows[b], :, k, :] for the first K slots. Rows are repeated, dropped or reordered, the last
/// slots are cropped, or both. Without `rows`, every row stays in place. Only moves data, so results are bit-exact.
/// Throws Error{schema} for a row that the cache does not have.
struct CacheEdit {
  static constexpr ComponentText text{
      "cache_edit", "out = past[rows, :, :K]",
      "DynamicCache.reorder_cache, batch_select_indices, batch_repeat_interleave, crop"};
  static constexpr Traits traits{.parallel = "GD"};
  struct Params {};
  struct Inputs {
    TensorView past;  // (B', G, P, D), P >= K
    TensorView rows;                                                                                          // (B) i64
  };
  struct Outputs {
    TensorView out;                                                                                      // (B, G, K, D)
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{}; }
  static constexpr auto inputs() {
    return std::tuple{field("past", &Inputs::past, "B,G,K,D"),
                      field("rows", &Inputs::rows, "B", Presence::optional).of(Contents::rows)};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "B,G,K,D")}; }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
