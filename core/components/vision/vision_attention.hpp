// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Attention of the vision tower: every patch sees every patch of its scope.
#pragma once

#include "core/component.hpp"
#include "core/softmax.hpp"

namespace parity {

/// w[j] = softmax_j(scale q[a,p,:].k[a,j,:]) over the scope of p;  out[p,a,:] = sum_j w[j] v[a,j,:].
/// The scope is all patches of the call (images see each other) or, with per_medium, those of the patch's own image or
/// whole video. There is no mask and no causality. A kernel need not store the P x P matrix.
/// Eager rounds score, scaled score, weight and output to T; sdpa kernels round only un-normalised weights and output.
struct VisionAttention {
  static constexpr ComponentText text{"vision_attention", "out = softmax(scale q k^T over the scope) v",
                                      "MiniMaxM3VLVisionAttention"};
  static constexpr Traits traits{.part = "attention", .heads = "A"};
  struct Params {
    double scale = 1.0;           // D^-0.5; a binary32 constant except in binary64 captures
    bool per_medium = false;      // the scope is one image or whole video instead of all patches of the call
    bool normalise_first = true;  // eager: softmax is divided before the product with V; false: after it (sdpa kernels)
    int64_t key_tile = 512;       // keys per update of the running maximum when normalise_first is false
  };
  struct Inputs {
    TensorView q;                                                                                        // (1, A, P, D)
    TensorView k;                                                                                        // (1, A, P, D)
    TensorView v;                                                                                        // (1, A, P, D)
    TensorView grid;                              // (M, 3) i64: frames, rows, columns of patches of each image or video
  };
  struct Outputs {
    TensorView out;                                                                                      // (1, P, A, D)
  };
  using Points = SoftmaxPoints;
  static constexpr auto params() {
    return std::tuple{param("scale", &Params::scale), param("per_medium", &Params::per_medium),
                      param("normalise_first", &Params::normalise_first),
                      param("key_tile", &Params::key_tile, among(1, 2, 3, 4))};
  }
  static constexpr auto inputs() {
    return std::tuple{field("q", &Inputs::q, "1,A,P,D"), field("k", &Inputs::k, "1,A,P,D"),
                      field("v", &Inputs::v, "1,A,P,D"), field("grid", &Inputs::grid, "M,3").of(Contents::grid)};
  }
  static constexpr auto outputs() { return std::tuple{field("out", &Outputs::out, "1,P,A,D")}; }
  static constexpr auto points() { return softmax_points(); }
  static double flops(const AxisSizes& sizes, const ParamMap&) { return 4.0 * elements(sizes, "APPD"); }
};

}  // namespace parity
