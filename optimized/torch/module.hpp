// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Declares the kernels that the module's sources define.
#pragma once

#include "optimized/torch/kernels.hpp"

namespace parity::torch_backend {

#define PARITY_TORCH_KERNEL(C, name) void name(const C::Inputs&, const C::Params&, const C::Outputs&, Context&)
PARITY_TORCH_KERNEL(AttentionDense, attention_dense);
PARITY_TORCH_KERNEL(AttentionDense, attention_dense_mask);
PARITY_TORCH_KERNEL(CacheAppend, cache_append);
PARITY_TORCH_KERNEL(Dequantise, dequantise);
PARITY_TORCH_KERNEL(IndexBlockScores, index_block_scores);
PARITY_TORCH_KERNEL(IndexSelect, index_select);
PARITY_TORCH_KERNEL(LightningAttention, lightning_attention);
PARITY_TORCH_KERNEL(Linear, linear);
PARITY_TORCH_KERNEL(MoeExperts, moe_experts);
PARITY_TORCH_KERNEL(PartialRope, partial_rope);
PARITY_TORCH_KERNEL(ResidualAdd, residual_add);
PARITY_TORCH_KERNEL(RmsNorm, rms_norm);
PARITY_TORCH_KERNEL(Router, router);
PARITY_TORCH_KERNEL(VisionAttention, vision_attention);
#undef PARITY_TORCH_KERNEL
bool deliver_results(bool deliver);
void build_mask(int64_t queries, int64_t slots, DType type);
void concatenate(const TensorView& past, const TensorView& fresh);
void top_k(const TensorView& scores, const TensorView& values, const TensorView& ids);

}  // namespace parity::torch_backend
