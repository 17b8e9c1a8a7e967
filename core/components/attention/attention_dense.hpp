// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Dense causal attention with grouped key/value heads.
#pragma once

#include "core/component.hpp"
#include "core/softmax.hpp"

namespace parity {

/// p[j] = softmax_j(scale q[b,a,s,:].k[b,g,j,:]) over visible j;  out[b,s,a,:] = sum_j p[j] v[b,g,j,:],  g = a / (A/G).
/// Query s of this call has slot K - S + s (or query_slot + s) and sees the slots up to its own whose attention_mask is
/// 1. A query that sees no slot gets the mean of v over all K slots, because an additive finfo.min mask makes every
/// score the same constant, or 0 where the mask is boolean (sdpa). Eager rounds score, scaled score, weight and output
/// to T; sdpa kernels round only un-normalised weights and output. The mask has U = K slots, or, in a static cache, only
/// those in use: no query sees a later one.
struct AttentionDense {
  static constexpr ComponentText text{"attention_dense", "out = softmax(scale q k^T + causal and padding mask) v",
                                      "eager_attention_forward | sdpa_attention_forward"};
  static constexpr Traits traits{.part = "attention", .parallel = "BS", .heads = "AG"};
  struct Params {
    double scale = 1.0;           // D^-0.5; a binary32 constant except in binary64 captures
    bool normalise_first = true;  // eager: softmax is divided before the product with V; false: after it (sdpa kernels)
    bool first_slot_masks = false;  // the mask was built for an empty cache: the mask of slot 0 applies to every slot
    bool zero_blind_rows = false;   // a query that sees no slot gets 0 (boolean mask), not the mean (additive mask)
    int64_t key_tile = 512;         // keys per update of the running maximum when normalise_first is false
    int64_t query_slot = -1;        // slot of the first query, in a buffer with unused slots at its end; -1: K - S
  };
  struct Inputs {
    TensorView q;                                                                                        // (B, A, S, D)
    TensorView k;                                                                                        // (B, G, K, D)
    TensorView v;                                                                                        // (B, G, K, D)
    TensorView mask;                                                             // (B, U) i64, 1 = real token; optional
  };
  struct Outputs {
    TensorView out;                                                                                      // (B, S, A, D)
  };
  using Points = SoftmaxPoints;
  static constexpr auto params() {
    return std::tuple{param("scale", &Params::scale),
                      param("normalise_first", &Params::normalise_first),
                      param("first_slot_masks", &Params::first_slot_masks),
                      param("zero_blind_rows", &Params::zero_blind_rows),
                      param("key_tile", &Params::key_tile, among(1, 2, 3, 4)),
                      param("query_slot", &Params::query_slot)};
  }
  static constexpr auto inputs() {
    return std::tuple{field("q", &Inputs::q, "B,A,S,D"), field("k", &Inputs::k, "B,G,K,D"),
                      field("v", &Inputs::v, "B,G,K,D"),
                      field("mask", &Inputs::mask, "B,U", Presence::optional).of(Contents::mask, "B,K")};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "B,S,A,D")}; }
  static constexpr auto points() { return softmax_points(); }
  static double flops(const AxisSizes& sizes, const ParamMap&) {
    return 4.0 * elements(sizes, "AD") * over_queries(sizes, [](int64_t seen) { return seen; });
  }
};

}  // namespace parity
