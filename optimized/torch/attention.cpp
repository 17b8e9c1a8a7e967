// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Attention as users call LibTorch: scaled_dot_product_attention, and the indexer as a chain of operations.
#include <algorithm>
#include <limits>
#include <utility>

#include "optimized/torch/module.hpp"
#include "optimized/torch/ops.hpp"

namespace parity::torch_backend {
namespace {

/// Returns whether each query sees each slot.                                                     // (B or 1, 1, S, K)
at::Tensor visible(const AttentionDense::Inputs& in, const AttentionDense::Params& params, int64_t first) {
  const int64_t queries = in.q.shape[2], slots = in.k.shape[2];
  const at::Tensor own = at::arange(first, first + queries).unsqueeze(1);
  at::Tensor seen = (at::arange(slots).unsqueeze(0) <= own).view({1, 1, queries, slots});
  if (in.mask.empty()) return seen;
  TensorView mask = in.mask;                                                                                   // (B, K)
  if (params.first_slot_masks) {  // slot 0's mask stands for every slot; there may be more slots
    mask.shape[1] = slots;
    mask.strides[1] = 0;
  }
  const at::Tensor real =
      at::constant_pad_nd(wrap(mask).ne(0), {0, slots - mask.shape[1]});  // a buffer may have unused slots
  return seen & real.view({mask.shape[0], 1, 1, slots});
}

at::Tensor sdpa(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const std::optional<at::Tensor>& mask,
                bool causal, double scale) {
  return at::scaled_dot_product_attention(q, k, v, mask, 0.0, causal, scale, q.size(1) != k.size(1));
}

/// Returns a model's additive mask: 0 where a query sees a slot, the type's lowest number elsewhere.
at::Tensor additive(const at::Tensor& seen, at::ScalarType type) {
  const double lowest = type == at::ScalarType::BFloat16 ? -0x1.fep127 : std::numeric_limits<float>::lowest();
  return at::zeros(seen.sizes(), at::TensorOptions().dtype(type)).masked_fill_(seen.logical_not(), lowest);
}

at::Tensor masked(const AttentionDense::Inputs& in, const AttentionDense::Params& params, int64_t first) {
  const at::Tensor q = wrap(in.q), k = wrap(in.k), v = wrap(in.v);
  const at::Tensor seen = visible(in, params, first);
  const at::Tensor result = sdpa(q, k, v, additive(seen, q.scalar_type()), false, params.scale);
  if (!params.zero_blind_rows) return result;
  return result.masked_fill(seen.any(-1, true).logical_not(), 0.0);
}

void write(const at::Tensor& result, const TensorView& out) {
  deliver(result.transpose(1, 2), wrap(out));                                                            // (B, S, A, D)
}

int64_t first_slot(const AttentionDense::Inputs& in, const AttentionDense::Params& params) {
  return params.query_slot >= 0 ? params.query_slot : in.k.shape[2] - in.q.shape[2];
}

}  // namespace

/// Uses LibTorch's fastest call: no mask if causality is enough, and the heads of a single query as queries of their
/// key head, which is up to 16 times faster than grouped heads.
void attention_dense(const AttentionDense::Inputs& in, const AttentionDense::Params& params,
                     const AttentionDense::Outputs& out, Context&) {
  const Scope scope;
  if (wrap(out.out).numel() == 0) return;
  const int64_t queries = in.q.shape[2], slots = in.k.shape[2], first = first_slot(in, params);
  if (!in.mask.empty() || first + queries != slots || (queries != 1 && queries != slots))
    return write(masked(in, params, first), out.out);
  const at::Tensor q = wrap(in.q), k = wrap(in.k), v = wrap(in.v);
  if (queries > 1) return write(sdpa(q, k, v, {}, true, params.scale), out.out);
  const int64_t group = q.size(1) / k.size(1);
  const at::Tensor heads = q.reshape({q.size(0), k.size(1), group, q.size(3)});                          // (B, G, a, D)
  deliver(sdpa(heads, k, v, {}, false, params.scale), wrap(out.out));
}

/// Builds and adds a mask of S x K, as models without a kernel of their own do.
void attention_dense_mask(const AttentionDense::Inputs& in, const AttentionDense::Params& params,
                          const AttentionDense::Outputs& out, Context&) {
  const Scope scope;
  if (wrap(out.out).numel() > 0) write(masked(in, params, first_slot(in, params)), out.out);
}

void vision_attention(const VisionAttention::Inputs& in, const VisionAttention::Params& params,
                      const VisionAttention::Outputs& out, Context&) {
  const Scope scope;
  const at::Tensor q = wrap(in.q), k = wrap(in.k), v = wrap(in.v), result = wrap(out.out);
  if (result.numel() == 0) return;
  const at::Tensor grid = wrap(in.grid);                                                                       // (M, 3)
  const int64_t scopes = params.per_medium ? grid.size(0) : 1;
  for (int64_t m = 0, first = 0; m < scopes; ++m) {
    const int64_t count = params.per_medium ? grid.select(0, m).prod().item<int64_t>() : q.size(2);
    const auto part = [&](const at::Tensor& x) { return x.narrow(2, first, count); };
    deliver(sdpa(part(q), part(k), part(v), {}, false, params.scale).transpose(1, 2), result.narrow(1, first, count));
    first += count;
  }
}

void build_mask(int64_t queries, int64_t slots, DType type) {
  const Scope scope;
  const at::Tensor own = at::arange(slots - queries, slots).unsqueeze(1);
  static_cast<void>(additive((at::arange(slots).unsqueeze(0) <= own).view({1, 1, queries, slots}), scalar_type(type)));
}

void concatenate(const TensorView& past, const TensorView& fresh) {
  const Scope scope;
  static_cast<void>(at::cat({wrap(past), wrap(fresh)}, 2));
}

void top_k(const TensorView& scores, const TensorView& values, const TensorView& ids) {
  const Scope scope;
  at::Tensor best = wrap(values), where = wrap(ids);
  at::topk_out(best, where, wrap(scores), best.size(-1), -1, true, false);
}

namespace {
bool delivering = true;
}
bool delivers() { return delivering; }
bool deliver_results(bool deliver) { return std::exchange(delivering, deliver); }

void index_block_scores(const IndexBlockScores::Inputs& in, const IndexBlockScores::Params& params,
                        const IndexBlockScores::Outputs& out, Context&) {
  const Scope scope;
  const at::Tensor k = wrap(in.k).to(at::ScalarType::Float);                                             // (B, 1, K, I)
  at::Tensor scores = at::matmul(wrap(in.q).to(at::ScalarType::Float), k.transpose(2, 3));               // (B, X, S, K)
  if (params.scale != 1.0) scores = scores * params.scale;
  if (!out.scores.empty()) wrap(out.scores).copy_(scores);
  const int64_t slots = k.size(2), blocks = out.block_scores.shape.back();
  const at::Tensor own = wrap(in.positions).unsqueeze(1).unsqueeze(3);                                   // (B, 1, S, 1)
  const double nothing = -std::numeric_limits<double>::infinity();
  scores = scores.masked_fill(at::arange(slots).gt(own), nothing);
  scores = at::constant_pad_nd(scores, {0, blocks * params.block_size - slots}, nothing);
  const at::Tensor by_block = scores.view({scores.size(0), scores.size(1), scores.size(2), blocks, params.block_size});
  const at::Tensor result = wrap(out.block_scores);
  into(result, result.sizes(), scores.scalar_type(), [&](at::Tensor& target) {
    if (params.per_group) {
      at::amax_out(target, by_block, {-1});
    } else {
      at::amax_out(target, by_block.amax(-1), {1});
    }
  });
}

void index_select(const IndexSelect::Inputs& in, const IndexSelect::Params& params, const IndexSelect::Outputs& out,
                  Context&) {
  const Scope scope;
  at::Tensor scores = wrap(in.block_scores).clone();                                        // (B, S, J) or (B, X, S, J)
  const int64_t blocks = scores.size(-1), width = out.blocks.shape.back();
  at::Tensor own = at::floor_divide(wrap(in.positions), params.block_size).unsqueeze(-1);                   // (B, S, 1)
  if (scores.dim() == 4) own = own.unsqueeze(1);
  const at::Tensor number = at::arange(blocks);
  at::Tensor forced = (number > own - params.local_blocks) & (number <= own);
  forced = forced | ((number < params.init_blocks) & (number <= own));
  scores.masked_fill_(forced.expand(scores.sizes()), std::numeric_limits<double>::infinity());
  if (!out.forced_scores.empty()) wrap(out.forced_scores).copy_(scores);
  auto [values, chosen] = at::topk(scores, std::min({params.top_k, blocks, width}), -1, true, true);
  chosen = chosen.masked_fill(values == -std::numeric_limits<double>::infinity(), -1);
  deliver(chosen.size(-1) == width ? chosen : at::constant_pad_nd(chosen, {0, width - chosen.size(-1)}, -1),
          wrap(out.blocks));
}

}  // namespace parity::torch_backend
