// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Lightning attention as a chain of operations over blocks, or over tokens after a past; also the list of all kernels.
#include <string>

#include <torch/headeronly/version.h>

#include "optimized/torch/module.hpp"
#include "optimized/torch/ops.hpp"

namespace parity::torch_backend {
namespace {

/// Copies the state before a block to the output `block_states`, if it is asked for.
void record(const LightningAttention::Outputs& out, int64_t block, const at::Tensor& state) {
  if (!out.block_states.empty()) wrap(out.block_states).select(0, block).copy_(state);
}

/// Returns the type of the state, in which the products are computed.
at::ScalarType held(const LightningAttention::Outputs& out) { return scalar_type(out.state.dtype); }

at::Tensor by_blocks(const LightningAttention::Inputs& in, const LightningAttention::Outputs& out) {
  const auto kept = held(out);
  const at::Tensor q = wrap(in.q).to(kept), k = wrap(in.k).to(kept), v = wrap(in.v).to(kept);            // (B, A, S, D)
  const at::Tensor slope = wrap(in.slope_rate).to(kept), query = wrap(in.query_decay), key = wrap(in.key_decay);
  const at::Tensor diagonal = wrap(in.diagonal_decay);                                                   // (1, A, Q, Q)
  const int64_t tokens = q.size(2), size = query.size(1);
  at::Tensor state = at::zeros({q.size(0), q.size(1), q.size(3), q.size(3)}, kept);                      // (B, A, D, D)
  record(out, 0, state);
  for (int64_t first = 0; first < tokens; first += size) {
    const int64_t m = std::min(size, tokens - first);
    const at::Tensor qi = q.narrow(2, first, m), ki = k.narrow(2, first, m), vi = v.narrow(2, first, m);
    const at::Tensor decay = diagonal.narrow(2, 0, m).narrow(3, 0, m);
    const at::Tensor intra = at::matmul(at::matmul(qi, ki.transpose(2, 3)) * decay, vi);
    const at::Tensor inter = at::matmul(qi * query.narrow(1, 0, m), state);
    if (!out.intra.empty()) wrap(out.intra).narrow(2, first, m).copy_(intra);
    if (!out.inter.empty()) wrap(out.inter).narrow(2, first, m).copy_(inter);
    into(wrap(out.out).narrow(2, first, m), inter.sizes(), inter.scalar_type(),
         [&](at::Tensor& target) { at::add_out(target, inter, intra); });
    const at::Tensor keys = ki * key.narrow(1, size - m, m);
    state = state * at::exp(-slope * m) + at::matmul(keys.transpose(2, 3), vi);
    record(out, first / size + 1, state);
  }
  return state;
}

at::Tensor by_tokens(const LightningAttention::Inputs& in, const LightningAttention::Outputs& out) {
  const at::Tensor q = wrap(in.q), k = wrap(in.k).to(held(out)), v = wrap(in.v).to(held(out));
  const at::Tensor decay = at::exp(-wrap(in.slope_rate).to(held(out)));
  at::Tensor state = wrap(in.past);
  record(out, 0, state);
  for (int64_t s = 0; s < q.size(2); ++s) {
    state = decay * state + at::matmul(k.narrow(2, s, 1).transpose(2, 3), v.narrow(2, s, 1));
    deliver(at::matmul(q.narrow(2, s, 1).to(held(out)), state), wrap(out.out).narrow(2, s, 1));
    record(out, s + 1, state);
  }
  return state;
}

}  // namespace

void lightning_attention(const LightningAttention::Inputs& in, const LightningAttention::Params&,
                         const LightningAttention::Outputs& out, Context&) {
  const Scope scope;
  deliver(in.past.empty() ? by_blocks(in, out) : by_tokens(in, out), wrap(out.state));
}

}  // namespace parity::torch_backend

#define PARITY_TEXT_OF(x) #x
#define PARITY_TEXT(x) PARITY_TEXT_OF(x)

extern "C" __attribute__((visibility("default"))) const parity::torch_backend::Kernels& parity_torch_kernels() {
  namespace torch_backend = parity::torch_backend;
  static const torch_backend::Kernels instance{
      PARITY_TEXT(TORCH_VERSION_MAJOR) "." PARITY_TEXT(TORCH_VERSION_MINOR) "." PARITY_TEXT(TORCH_VERSION_PATCH),
      &torch_backend::attention_dense,
      &torch_backend::attention_dense_mask,
      &torch_backend::cache_append,
      &torch_backend::dequantise,
      &torch_backend::index_block_scores,
      &torch_backend::index_select,
      &torch_backend::lightning_attention,
      &torch_backend::linear,
      &torch_backend::moe_experts,
      &torch_backend::partial_rope,
      &torch_backend::residual_add,
      &torch_backend::rms_norm,
      &torch_backend::router,
      &torch_backend::vision_attention,
      &torch_backend::deliver_results,
      &torch_backend::build_mask,
      &torch_backend::concatenate,
      &torch_backend::top_k};
  return instance;
}
