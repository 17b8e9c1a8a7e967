// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Page write: this call's keys (values, index keys) written into the pages that their sequences own.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out = past, or zeros in the first call, with out[table[b, k / page_size], g, k % page_size, :] = fresh[b, g, k - filled, :]
/// for the slots k = filled … filled + S - 1; `paged_view` reads the result. If sequences share a slot, the value of
/// the last one remains. Only moves data, so results are bit-exact. Throws Error{schema} for a page that does not
/// exist, for a table that is too short, and for pages of another size.
struct PageWrite {
  static constexpr ComponentText text{"page_write",
                                      "out[table[b, k / page_size], g, k % page_size, :] = fresh[b, g, k - filled, :]",
                                      "PagedAttentionCache.update (transformers, continuous batching)"};
  static constexpr Traits traits{.parallel = "GD"};
  struct Params {
    int64_t page_size = 16;  // slots of a page
    int64_t filled = 0;      // slots of a sequence that earlier calls wrote
  };
  struct Inputs {
    TensorView past;   // (pages, G, page_size, D); absent in the first call
    TensorView fresh;                                                                                    // (B, G, S, D)
    TensorView table;  // (B, pages of a sequence) i64
  };
  struct Outputs {
    TensorView out;  // (pages, G, page_size, D)
  };
  struct Points {};
  static constexpr auto params() {
    return std::tuple{param("page_size", &Params::page_size, extent('Q')), param("filled", &Params::filled)};
  }
  static constexpr auto inputs() {
    return std::tuple{field("past", &Inputs::past, "Y,G,Q,D", Presence::optional).of(Contents::values, "V,G,Q,D"),
                      field("fresh", &Inputs::fresh, "B,G,S,D"),
                      field("table", &Inputs::table, "B,J").of(Contents::tokens)};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "Y,G,Q,D")}; }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
