# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A tiny checkpoint in the published MiniMax-M2 layout: every layer has experts, norms are plain gains."""

from __future__ import annotations

from settings import Settings


def config(s: Settings) -> dict:
    """The configuration as published, including keys that transformers never reads."""
    result = {
        "architectures": ["MiniMaxM2ForCausalLM"], "model_type": "minimax_m2", "vocab_size": s.vocab,
        "hidden_size": s.hidden, "intermediate_size": s.inter, "num_hidden_layers": s.layers,
        "num_attention_heads": s.heads, "num_key_value_heads": s.kv_heads, "head_dim": s.head_dim,
        "hidden_act": "silu", "max_position_embeddings": 4096, "rms_norm_eps": 1e-6, "rope_theta": s.rope_theta,
        "num_local_experts": s.experts, "num_experts_per_tok": s.top_k, "scoring_func": "sigmoid",
        "use_routing_bias": True, "use_qk_norm": True, "qk_norm_type": "per_layer", "rotary_dim": s.rotary_dim,
        "router_aux_loss_coef": 0.001, "router_jitter_noise": 0.0, "shared_intermediate_size": 0,
        "num_mtp_modules": 0, "bos_token_id": 1, "eos_token_id": 2, "tie_word_embeddings": False,
        "attention_dropout": 0.0,
    }
    if s.rope_parameters:
        result["rope_parameters"] = {"rope_type": "default", "rope_theta": s.rope_theta,
                                     "partial_rotary_factor": s.partial_rotary}
    return result


def shapes(s: Settings) -> dict[str, tuple[int, ...]]:
    h, d = s.hidden, s.head_dim
    found = {"lm_head.weight": (s.vocab, h), "model.embed_tokens.weight": (s.vocab, h), "model.norm.weight": (h,)}
    for i in range(s.layers):
        layer, attn, moe = (f"model.layers.{i}.{part}" for part in ("", "self_attn.", "block_sparse_moe."))
        found |= {layer + "input_layernorm.weight": (h,), layer + "post_attention_layernorm.weight": (h,),
                  attn + "q_proj.weight": (s.heads * d, h), attn + "k_proj.weight": (s.kv_heads * d, h),
                  attn + "v_proj.weight": (s.kv_heads * d, h), attn + "o_proj.weight": (h, s.heads * d),
                  attn + "q_norm.weight": (s.heads * d,), attn + "k_norm.weight": (s.kv_heads * d,),
                  moe + "gate.weight": (s.experts, h), moe + "e_score_correction_bias": (s.experts,)}
        for e in range(s.experts):
            expert = f"{moe}experts.{e}."
            found |= {expert + "w1.weight": (s.inter, h), expert + "w3.weight": (s.inter, h),
                      expert + "w2.weight": (h, s.inter)}
    return found
