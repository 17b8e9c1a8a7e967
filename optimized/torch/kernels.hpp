// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the module libparity_torch offers. It is loaded when the first of its kernels is called: only then is LibTorch's
// start-up paid for, and only its own sources see LibTorch's headers.
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

/// Kernels of any element type: they read it of their operands.
struct Kernels {
  const char* version;  // of LibTorch
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
  /// Whether finished results are brought to the callers' buffers; what it was before. Off, they stay where LibTorch put
  /// them: a time then holds no copy that a user of LibTorch does not pay. Operations with an `out` write there either way.
  bool (*deliver_results)(bool deliver);
  /// What a framework does around attention: the additive mask of `queries` of `slots`, built and dropped, and the cache
  /// that is concatenated anew for every token.
  void (*build_mask)(int64_t queries, int64_t slots, DType type);
  void (*concatenate)(const TensorView& past, const TensorView& fresh);                 // (B, G, K, D) and (B, G, S, D)
  /// torch::topk along the last axis, unsorted, nothing else.
  void (*top_k)(const TensorView& scores, const TensorView& values, const TensorView& ids);
};

}  // namespace parity::torch_backend
