// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Paged view: the cache of one call, gathered from the pages that its sequences own.
#pragma once

#include "core/component.hpp"

namespace parity {

/// out[b, g, k, :] = pages[table[b, k / page_size], g, k % page_size, :] for the K slots of out, which attention over a
/// paged KV cache reads. Pages may be shared between sequences and are in any order. Table entries after slot K are
/// ignored; engines set them to -1. Only moves data, so results are bit-exact. Throws Error{schema} for a page that
/// does not exist, for a table too short for K, and for pages of another size.
struct PagedView {
  static constexpr ComponentText text{"paged_view",
                                      "out[b,g,k,:] = pages[table[b, k / page_size], g, k % page_size, :]",
                                      "PagedAttentionCache (transformers, continuous batching) | BlockTable (vLLM)"};
  static constexpr Traits traits{.parallel = "GD"};
  struct Params {
    int64_t page_size = 16;  // slots of a page
  };
  struct Inputs {
    TensorView pages;  // (pages, G, page_size, D)
    TensorView table;  // (B, pages of a sequence) i64
  };
  struct Outputs {
    TensorView out;                                                                                      // (B, G, K, D)
  };
  struct Points {};
  static constexpr auto params() { return std::tuple{param("page_size", &Params::page_size, extent('Q'))}; }
  static constexpr auto inputs() {
    return std::tuple{field("pages", &Inputs::pages, "Y,G,Q,D").of(Contents::values, "V,G,Q,D"),
                      field("table", &Inputs::table, "B,J").of(Contents::tokens)};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "B,G,K,D")}; }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
