// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Index selection: the key blocks that a query attends to.
#pragma once

#include "core/component.hpp"

namespace parity {

/// The scores of the query's own block and of the local_blocks - 1 before it are set to +inf. The min(top_k, J) largest
/// are chosen (ties: the smaller id); blocks at -inf are dropped. `blocks` has the ids by descending score, then -1.
struct IndexSelect {
  static constexpr ComponentText text{"index_select",
                                      "blocks = top_k of block scores with local blocks forced, -1 padded",
                                      "MiniMaxM3VLIndexer.forward"};
  static constexpr Traits traits{.exercise = {Shows::more_than, "block_scores", "top_k", "no block is ever dropped"},
                                 .parallel = "*BS"};
  struct Params {
    int64_t block_size = 128;
    int64_t top_k = 16;
    int64_t local_blocks = 1;
    int64_t init_blocks = 0;  // number of leading blocks, up to the query's own, whose scores are also set to +inf
  };
  struct Inputs {
    TensorView block_scores;                                                                // (B, S, J) or (B, X, S, J)
    TensorView positions;                                                                                  // (B, S) i64
  };
  struct Outputs {
    TensorView forced_scores;  // as block_scores, optional: the scores after blocks were set to +inf
    TensorView blocks;                                                                  // (B, S, T) or (B, X, S, T) i64
  };
  struct Points {};
  static constexpr auto params() {
    return std::tuple{param("block_size", &Params::block_size), param("top_k", &Params::top_k),
                      param("local_blocks", &Params::local_blocks, among(0, 1, 2, 3)),
                      param("init_blocks", &Params::init_blocks, among(0, 1, 2))};
  }
  static constexpr auto inputs() {
    return std::tuple{field("block_scores", &Inputs::block_scores, "*,S,J").of(Contents::maxima, "list,S,J"),
                      field("positions", &Inputs::positions, "B,S").of(Contents::places)};
  }
  static constexpr auto outputs() {
    return std::tuple{field("forced_scores", &Outputs::forced_scores, "*,S,J", Presence::optional),
                      field("blocks", &Outputs::blocks, "*,S,T", Presence::required, Judge::block_list)};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
