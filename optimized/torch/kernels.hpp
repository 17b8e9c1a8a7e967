// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The interface of the module libparity_torch. It is loaded when one of its kernels is first called, so that only then
// LibTorch's start-up takes time, and only its own sources include LibTorch's headers.
#pragma once

#include <string>

#include "core/components/attention/attention_dense.hpp"
#include "core/components/cache/cache_append.hpp"
#include "core/components/experts/moe_experts.hpp"
#include "core/components/index/index_block_scores.hpp"
#include "core/components/index/index_select.hpp"
#include "core/components/lightning/lightning_attention.hpp"
#include "core/components/linear/dequantise.hpp"
#include "core/components/linear/linear.hpp"
#include "core/components/norm/residual_add.hpp"
#include "core/components/norm/rms_norm.hpp"
#include "core/components/rope/partial_rope.hpp"
#include "core/components/router/router.hpp"
#include "core/components/vision/vision_attention.hpp"

namespace parity::torch_backend {

/// The module's kernels. Each reads the element type from its operands.
struct Kernels {
  const char* version;  // LibTorch's version
  Kernel<AttentionDense>* attention_dense;
  Kernel<AttentionDense>* attention_dense_mask;  // with an additive mask, as eager models build it
  Kernel<CacheAppend>* cache_append;
  Kernel<Dequantise>* dequantise;
  Kernel<IndexBlockScores>* index_block_scores;
  Kernel<IndexSelect>* index_select;
  Kernel<LightningAttention>* lightning_attention;
  Kernel<Linear>* linear;
  Kernel<MoeExperts>* moe_experts;
  Kernel<PartialRope>* partial_rope;
  Kernel<ResidualAdd>* residual_add;
  Kernel<RmsNorm>* rms_norm;
  Kernel<Router>* router;
  Kernel<VisionAttention>* vision_attention;
  /// Sets whether finished results are copied to the callers' buffers; returns the old setting. If not, they stay where
  /// LibTorch put them, and times include no copy. Operations with an `out` argument write there in both cases.
  bool (*deliver_results)(bool deliver);
  /// Work of a framework around attention: building the additive mask of `queries` in `slots`, and concatenating the
  /// cache anew for every token.
  void (*build_mask)(int64_t queries, int64_t slots, DType type);
  void (*concatenate)(const TensorView& past, const TensorView& fresh);                 // (B, G, K, D) and (B, G, S, D)
  /// Calls torch::topk along the last axis, unsorted.
  void (*top_k)(const TensorView& scores, const TensorView& values, const TensorView& ids);
};

}  // namespace parity::torch_backend
