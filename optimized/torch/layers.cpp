// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Norms, products, rotary positions, router and the loop over experts, as chains of LibTorch operations.
#include <cmath>

#include "optimized/torch/module.hpp"
#include "optimized/torch/ops.hpp"

namespace parity::torch_backend {
namespace {

constexpr auto kFloat = at::ScalarType::Float;

/// Returns M3's clamped and shifted activation; with alpha 1, no limit and no offset it is silu(gate) * up.
at::Tensor swiglu(const at::Tensor& gate_up, const MoeExperts::Params& params) {
  const auto halves = gate_up.chunk(2, -1);
  at::Tensor gate = halves[0], up = halves[1];
  if (std::isfinite(params.limit)) {
    gate = gate.clamp(std::nullopt, params.limit);
    up = up.clamp(-params.limit, params.limit);
  }
  const at::Tensor gated = params.alpha == 1.0 ? at::silu(gate) : gate * at::sigmoid(gate * params.alpha);
  return params.linear_offset == 0.0 ? gated * up : (up + params.linear_offset) * gated;
}

}  // namespace

void linear(const Linear::Inputs& in, const Linear::Params&, const Linear::Outputs& out, Context&) {
  const Scope scope;
  at::Tensor x = wrap(in.x), weight = wrap(in.weight);
  std::optional<at::Tensor> bias;
  if (!in.bias.empty()) bias = wrap(in.bias);
  // A binary32 router after 16-bit activations: the activations are widened first.
  if (x.scalar_type() != weight.scalar_type() || (out.out.dtype == DType::f32 && x.scalar_type() != kFloat)) {
    x = x.to(kFloat);
    weight = weight.to(kFloat);
  }
  if (bias) bias = bias->to(x.scalar_type());
  // A matrix, folded as at::linear does; the result may have its leading axes folded otherwise.
  const at::Tensor rows = x.dim() == 1 ? x.unsqueeze(0) : x.flatten(0, -2);                                    // (N, H)
  into(wrap(out.out), {rows.size(0), weight.size(0)}, x.scalar_type(), [&](at::Tensor& target) {
    if (bias) {
      at::addmm_out(target, *bias, rows, weight.t());
    } else {
      at::mm_out(target, rows, weight.t());
    }
  });
}

void rms_norm(const RmsNorm::Inputs& in, const RmsNorm::Params& params, const RmsNorm::Outputs& out, Context&) {
  const Scope scope;
  const at::Tensor x = wrap(in.x).to(kFloat);
  const at::Tensor inverse = at::rsqrt(x.pow(2).mean(-1, true) + params.eps);
  const at::Tensor gain = wrap(in.weight).to(kFloat) + params.gain_offset;
  into(wrap(out.out), x.sizes(), kFloat, [&](at::Tensor& target) { at::mul_out(target, x * inverse, gain); });
}

void partial_rope(const PartialRope::Inputs& in, const PartialRope::Params&, const PartialRope::Outputs& out,
                  Context&) {
  const Scope scope;
  const at::Tensor x = wrap(in.x);                                                                       // (B, A, S, D)
  const at::Tensor cos = wrap(in.cos).unsqueeze(1), sin = wrap(in.sin).unsqueeze(1);                     // (B, 1, S, R)
  const int64_t width = cos.size(-1), half = width / 2;
  const at::Tensor turned = x.narrow(-1, 0, width);
  const at::Tensor crossed = at::cat({-x.narrow(-1, half, half), x.narrow(-1, 0, half)}, -1);
  const at::Tensor rotated = turned * cos + crossed * sin;
  into(wrap(out.out), x.sizes(), rotated.scalar_type(), [&](at::Tensor& target) {
    at::cat_out(target, {rotated, x.narrow(-1, width, x.size(-1) - width)}, -1);
  });
}

void residual_add(const ResidualAdd::Inputs& in, const ResidualAdd::Params& params, const ResidualAdd::Outputs& out,
                  Context&) {
  const Scope scope;
  const auto scaled = [](const at::Tensor& x, double factor) { return factor == 1.0 ? x : x * factor; };
  const at::Tensor stream = scaled(wrap(in.residual), params.residual_factor);
  const at::Tensor branch = scaled(wrap(in.branch), params.branch_factor).reshape(stream.sizes());
  into(wrap(out.out), stream.sizes(), stream.scalar_type(),
       [&](at::Tensor& target) { at::add_out(target, stream, branch); });
}

void cache_append(const CacheAppend::Inputs& in, const CacheAppend::Params&, const CacheAppend::Outputs& out,
                  Context&) {
  const Scope scope;
  const at::Tensor fresh = wrap(in.fresh);                                                               // (B, G, S, D)
  if (in.past.empty()) {
    deliver(fresh, wrap(out.out));  // a new cache holds only the fresh slots
    return;
  }
  const at::Tensor past = wrap(in.past), result = wrap(out.out);
  into(result, result.sizes(), fresh.scalar_type(), [&](at::Tensor& target) { at::cat_out(target, {past, fresh}, 2); });
}

/// Computes in binary32 and rounds at the end, as transformers does.
void dequantise(const Dequantise::Inputs& in, const Dequantise::Params& params, const Dequantise::Outputs& out,
                Context&) {
  const Scope scope;
  const at::Tensor result = wrap(out.out);
  at::Tensor numbers = wrap(in.codes).to(kFloat);
  if (!in.scales.empty()) {
    const at::Tensor stored = wrap(in.scales).to(kFloat);                                                      // (P, Q)
    const at::Tensor scales = params.exponents ? at::exp2(stored - 127.0) : stored;
    const int64_t p = scales.size(0), q = scales.size(1);
    numbers = numbers.reshape({p, -1, q, numbers.size(-1) / q});
    const at::Tensor factors = scales.reshape({p, 1, q, 1});
    into(result, numbers.sizes(), kFloat, [&](at::Tensor& target) { at::mul_out(target, numbers, factors); });
    return;
  }
  deliver(numbers, result);
}

void router(const Router::Inputs& in, const Router::Params& params, const Router::Outputs& out, Context&) {
  const Scope scope;
  const at::Tensor scores = at::sigmoid(wrap(in.logits).to(kFloat));                                           // (N, E)
  const at::Tensor choice = scores + wrap(in.bias).to(kFloat);                                                 // (N, E)
  const at::Tensor chosen =
      in.forced.empty() ? std::get<1>(at::topk(choice, params.top_k, -1, true, false)) : wrap(in.forced);
  const at::Tensor known = chosen.ge(0) & chosen.lt(scores.size(1));
  at::Tensor weights = scores.gather(1, chosen.clamp(0, scores.size(1) - 1)).masked_fill(known.logical_not(), 0.0);
  weights = weights / (weights.sum(-1, true) + params.eps);
  deliver(scores, wrap(out.scores));
  deliver(choice, wrap(out.choice));
  deliver(chosen, wrap(out.indices));
  deliver(params.scaling == 1.0 ? weights : weights * params.scaling, wrap(out.weights));
}

namespace {

/// Loops over the experts that some token chose, as the models' eager code does.
void add_experts(const MoeExperts::Inputs& in, const MoeExperts::Params& params, const MoeExperts::Outputs& out,
                 at::Tensor& total) {                                                                          // (N, H)
  const at::Tensor x = wrap(in.x), indices = wrap(in.indices), weights = wrap(in.weights);
  total.zero_();
  for (int64_t e = 0; e < in.gate_up->size(); ++e) {
    const at::Tensor where = indices.eq(e).nonzero();  // (tokens of e, 2)
    if (where.size(0) == 0) continue;
    const at::Tensor token = where.select(1, 0), slot = where.select(1, 1);
    const Tensor gate_up = in.gate_up->member(e), down = in.down->member(e);
    const at::Tensor active = swiglu(at::linear(x.index_select(0, token), wrap(gate_up.view())), params);
    const at::Tensor weight = weights.index({token, slot}).unsqueeze(1);
    const at::Tensor weighted = at::linear(active, wrap(down.view())) * weight;
    if (!out.slot_activation.empty())
      wrap(out.slot_activation).index_put_({token, slot}, active.to(scalar_type(out.slot_activation.dtype)));
    if (!out.slot_weighted.empty())
      wrap(out.slot_weighted).index_put_({token, slot}, weighted.to(scalar_type(out.slot_weighted.dtype)));
    total.index_add_(0, token, weighted.to(x.scalar_type()));
  }
}

}  // namespace

void moe_experts(const MoeExperts::Inputs& in, const MoeExperts::Params& params, const MoeExperts::Outputs& out,
                 Context&) {
  const Scope scope;
  const at::Tensor x = wrap(in.x);
  into(wrap(out.out), x.sizes(), x.scalar_type(), [&](at::Tensor& total) { add_experts(in, params, out, total); });
}

}  // namespace parity::torch_backend
