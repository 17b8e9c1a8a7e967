// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Index block scores: the indexer's dot products, maximum per key block.
#pragma once

#include "core/component.hpp"

namespace parity {

/// scores[b,x,s,j] = scale q[b,x,s,:].k[b,0,j,:], in binary32;
/// block_scores[b,(x),s,n] = max over slots j of block n with j <= positions[b,s] (and over x when shared), -inf if none.
/// Key padding is not applied here. A kernel need not store `scores` unless the caller gives memory for them.
struct IndexBlockScores {
  static constexpr ComponentText text{"index_block_scores",
                                      "block_scores[s,n] = max_{j in block n, j <= pos[s]} q[s].k[j]",
                                      "MiniMaxM3VLIndexer.forward"};
  static constexpr Traits traits{.parallel = "BXS"};
  struct Params {
    int64_t block_size = 128;
    bool per_group = false;  // keep the index-head axis
    double scale = 1.0;      // 1 changes no bit and adds no rounding
  };
  struct Inputs {
    TensorView q;                                                                                        // (B, X, S, I)
    TensorView k;                                                                                        // (B, 1, K, I)
    TensorView positions;                                                                                  // (B, S) i64
  };
  struct Outputs {
    TensorView scores;                                                                         // (B, X, S, K), optional
    TensorView block_scores;                                                                // (B, S, J) or (B, X, S, J)
  };
  struct Points {
    Round dot, constant, scaled;
  };
  static constexpr auto params() {
    return std::tuple{param("block_size", &Params::block_size), param("per_group", &Params::per_group),
                      param("scale", &Params::scale)};
  }
  static constexpr auto inputs() {
    return std::tuple{field("q", &Inputs::q, "B,X,S,I"), field("k", &Inputs::k, "B,1,K,I"),
                      field("positions", &Inputs::positions, "B,S").of(Contents::places)};
  }
  static constexpr auto outputs() {
    return std::tuple{field("scores", &Outputs::scores, "B,X,S,K", Presence::optional),
                      field("block_scores", &Outputs::block_scores, "*,S,J")};
  }
  static constexpr auto points() {
    return std::tuple{point("dot", &Points::dot, Precision::single),
                      point("constant", &Points::constant, Precision::single),
                      point("scaled", &Points::scaled, Precision::single)};
  }
};

}  // namespace parity
