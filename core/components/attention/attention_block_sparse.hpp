// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Block-sparse causal attention: each query sees only the key blocks that the indexer selected for it.
#pragma once

#include "core/component.hpp"
#include "core/softmax.hpp"

namespace parity {

/// Causal attention as in AttentionDense, but slot j is visible only if block j / block_size is in the query's list.
/// Lists are shared by all heads (B, S, T), or one per index head x = a / (A/X) (B, X, S, T). Ids outside [0, blocks)
/// select nothing; repeated ids count once. A query that sees no slot gets the mean of v over all K slots. The mask has U
/// slots, as in AttentionDense.
struct AttentionBlockSparse {
  static constexpr ComponentText text{"attention_block_sparse",
                                      "out = softmax(scale q k^T over visible slots of selected blocks) v",
                                      "MiniMaxM3VLIndexer.build_block_mask + eager_attention_forward"};
  static constexpr Traits traits{.part = "attention", .parallel = "BS", .heads = "AGX"};
  struct Params {
    double scale = 1.0;           // D^-0.5; a binary32 constant except in binary64 captures
    bool normalise_first = true;  // eager: softmax is divided before the product with V; false: after it (sdpa kernels)
    int64_t key_tile = 512;       // keys per update of the running maximum when normalise_first is false
    bool zero_blind_rows = false;  // a query that sees no slot gets 0 (boolean mask), not the mean (additive mask)
    int64_t block_size = 128;
    int64_t query_slot = -1;    // slot of the first query, in a buffer with unused slots at its end; -1: K - S
    bool self_visible = false;  // every query sees its own slot, regardless of blocks, mask and pairs
  };
  struct Inputs {
    TensorView q;                                                                                        // (B, A, S, D)
    TensorView k;                                                                                        // (B, G, K, D)
    TensorView v;                                                                                        // (B, G, K, D)
    TensorView mask;                                                             // (B, U) i64, 1 = real token; optional
    TensorView pairs;                          // (B, S, K) i64 or bool, 0 = that token does not see that slot; optional
    TensorView positions;                                      // (B, S) i64, slots of the queries; optional: the last S
    TensorView blocks;                                                                  // (B, S, T) or (B, X, S, T) i64
  };
  struct Outputs {
    TensorView out;                                                                                      // (B, S, A, D)
  };
  using Points = SoftmaxPoints;
  static constexpr auto params() {
    return std::tuple{param("scale", &Params::scale),
                      param("normalise_first", &Params::normalise_first),
                      param("key_tile", &Params::key_tile, among(1, 2, 3, 4)),
                      param("zero_blind_rows", &Params::zero_blind_rows),
                      param("block_size", &Params::block_size),
                      param("self_visible", &Params::self_visible),
                      param("query_slot", &Params::query_slot)};
  }
  static constexpr auto inputs() {
    return std::tuple{field("q", &Inputs::q, "B,A,S,D"),
                      field("k", &Inputs::k, "B,G,K,D"),
                      field("v", &Inputs::v, "B,G,K,D"),
                      field("mask", &Inputs::mask, "B,U", Presence::optional).of(Contents::mask, "B,K"),
                      field("pairs", &Inputs::pairs, "B,S,K", Presence::optional).of(Contents::mask),
                      field("positions", &Inputs::positions, "B,S", Presence::optional).of(Contents::places),
                      field("blocks", &Inputs::blocks, "*,S,T").of(Contents::blocks, "list,S,L")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "B,S,A,D")}; }
  static constexpr auto points() { return softmax_points(); }
  /// In its own block a query attends to the slots up to its own.
  static double flops(const AxisSizes& sizes, const ParamMap& params) {
    const int64_t block = std::get<int64_t>(params.at("block_size")), whole = (sizes.at('T') - 1) * block;
    return 4.0 * elements(sizes, "AD") *
           over_queries(sizes, [&](int64_t seen) { return std::min(seen, whole + (seen - 1) % block + 1); });
  }
};

}  // namespace parity
