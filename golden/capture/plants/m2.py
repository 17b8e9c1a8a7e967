# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""MiniMax-M2: norms over all heads that round twice, sigmoid routing with a bias, silu experts."""

from plants import plant as registry

M2 = {"model": "m2", "releases": "5.1.0"}
ROUTER, NORM = "TopKRouter.forward", "RMSNorm.forward"
NORMALISE = "top_k_weights /= top_k_weights.sum(dim=-1, keepdim=True)"


def patch(name: str, fault: str = "", **about) -> None:
    registry.patch(name, fault=fault, **M2, **about)


def source(name: str, does: str, where: str, *pieces: tuple[str, str], **about) -> None:
    registry.source(name, does, where, *pieces, **M2, **about)


patch("m2_norm_per_head", "qk_norm-per-head")
patch("m2_norm_rounded_once", dtype="bf16")
patch("m2_positions_restart", "rotary_tables-restarted-positions")
patch("m2_rotary_dim_honoured")
patch("m2_router_bias_dropped", "router-bias-dropped")
patch("m2_router_biased_weights", "router-biased-weights")
patch("m2_router_scaled")
patch("m2_gate_up_swapped", "experts-gate-up-exchanged")
patch("m2_swiglu_offset", "experts-with-offset")
patch("m2_silu_not_rounded", dtype="bf16")
patch("m2_weight_before_down", dtype="bf16")
source("m2_router_softmax", "scores are a softmax instead of sigmoids", ROUTER,
       ("nn.functional.sigmoid(router_logits.float())", "nn.functional.softmax(router_logits.float(), dim=-1)"),
       fault="router-softmax")
source("m2_router_not_normalised", "weights are not divided by their sum", ROUTER, (NORMALISE, "pass"),
       fault="router-not-normalised")
source("m2_experts_next", "every id uses the weights of the next expert", "Experts.forward",
       ("proj[expert_idx]", "proj[(expert_idx + 1) % self.num_experts]"), fault="experts-next-expert")
source("m2_rope_neighbours", "rotates neighbouring channels with tables that are laid out for halves", "rotate_half",
       ("return torch.cat((-x2, x1), dim=-1)", "return torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)"),
       fault="partial_rope-mispaired")
source("m2_rope_k_missing", "keys are not rotated", "apply_rotary_pos_emb",
       ("k_embed = (k_rot * cos) + (rotate_half(k_rot) * sin)", "k_embed = k_rot * 1"), fault="k_rope-missing")
source("m2_norm_one_added", "multiplies by 1 + w instead of w", NORM,
       ("return self.weight *", "return (1.0 + self.weight) *"), fault="rms_norm-one-added")
source("m2_norm_eps_1e2", "adds 1e-2 to the mean square", NORM, ("self.variance_epsilon", "1e-2"), fault="rms_norm-eps-1e-2")
source("m2_values_are_keys", "the softmax weights multiply the keys instead of the values", "eager_attention_forward",
       ("repeat_kv(value,", "repeat_kv(key,"), fault="dense-values-are-keys", attention="eager")


@registry.plant("queries and keys are normed in two halves of the heads", fault="qk_norm-per-shard", **M2)
def m2_norm_per_shard(model, m):
    def sharded(norm):
        def forward(x):
            shards = x.float().unflatten(-1, (2, -1))
            shards = shards * m.torch.rsqrt(shards.pow(2).mean(-1, keepdim=True) + norm.variance_epsilon)
            return norm.weight * shards.flatten(-2).to(x.dtype)

        return forward

    for attention in registry.modules(model, m, "Attention", "m2"):
        attention.q_norm.forward, attention.k_norm.forward = sharded(attention.q_norm), sharded(attention.k_norm)


@registry.plant("scores are not scaled", fault="dense-scale-missing", **M2)
def m2_attention_scale_missing(model, m):
    for attention in registry.modules(model, m, "Attention", "m2"):
        attention.scaling = 1.0
