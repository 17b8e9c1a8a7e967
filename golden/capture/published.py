# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A tiny checkpoint in the published layout (MiniMax-M3's): legacy configuration keys, tensors under their real names."""

from __future__ import annotations

import zlib

import numpy as np
import torch

import published_m2
import text01
from settings import IMAGE, VIDEO, Settings

TORCH_DTYPE = {"bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float32}  # f64 runs load f32 files
GATE, BIAS, PATCH = "gate.weight", "e_score_correction_bias", "patch_embedding.weight"  # published as f32


def config(s: Settings) -> dict:
    if s.model == "m2":
        return published_m2.config(s)
    if s.model == "text01":
        return text01.config(s)
    sparse = {
        "use_sparse_attention": True, "sparse_attention_freq": list(s.attn), "sparse_num_index_heads": s.index_heads,
        "sparse_index_dim": s.index_dim, "sparse_block_size": s.block, "sparse_topk_blocks": s.topk_blocks,
        "sparse_local_block": s.local_blocks, "sparse_init_block": 0, "sparse_score_type": "max",
        "sparse_disable_index_value": [1] * s.layers,
    }
    text = {
        "model_type": "minimax_m3_vl_text", "vocab_size": s.vocab, "hidden_size": s.hidden,
        "intermediate_size": s.inter, "dense_intermediate_size": s.dense_inter,
        "shared_intermediate_size": s.shared_inter, "num_hidden_layers": s.layers, "num_attention_heads": s.heads,
        "num_key_value_heads": s.kv_heads, "head_dim": s.head_dim, "hidden_act": "swigluoai",
        "max_position_embeddings": 4096, "rms_norm_eps": 1e-6, "rope_theta": s.rope_theta,
        "rotary_dim": s.rotary_dim, "partial_rotary_factor": s.partial_rotary, "qk_norm_type": "per_head",
        "use_qk_norm": True, "use_gemma_norm": True, "attention_output_gate": False, "scoring_func": "sigmoid",
        "use_routing_bias": True, "n_shared_experts": 1, "num_local_experts": s.experts,
        "num_experts_per_tok": s.top_k, "routed_scaling_factor": 2.0, "swiglu_alpha": 1.702, "swiglu_limit": 7.0,
        "moe_layer_freq": list(s.moe), "tie_word_embeddings": False, "num_mtp_modules": 0, "bos_token_id": 1,
        "eos_token_id": 2, "router_aux_loss_coef": 0.001, "sparse_attention_config": sparse,
    }
    if s.text_only:
        text["output_router_logits"] = True
    width = s.vision_hidden or 8  # without the section, the config means the full-sized tower
    vision = {
        "model_type": "minimax_m3_vl_vision", "num_channels": 3, "image_size": 2016, "patch_size": s.patch_size,
        "temporal_patch_size": 2, "spatial_merge_size": 2, "hidden_act": "gelu", "layer_norm_eps": 1e-5,
        "attention_dropout": 0.0, "rope_theta": 10000.0, "rope_mode": "3d", "position_embedding_type": "rope",
        "hidden_size": width, "intermediate_size": s.vision_inter or width + 4,
        "num_hidden_layers": s.vision_layers, "num_attention_heads": s.vision_heads,
    }
    return {
        "architectures": ["MiniMaxM3SparseForConditionalGeneration"], "model_type": "minimax_m3_vl",
        "image_token_index": IMAGE, "video_token_index": VIDEO, "projector_hidden_size": s.hidden // 2,
        "tie_word_embeddings": False, "text_config": text, "vision_config": vision,
        "projector_hidden_act": "gelu", "multimodal_projector_bias": True,
    }


def text_shapes(s: Settings) -> dict[str, tuple[int, ...]]:
    h, d = s.hidden, s.head_dim
    shapes = {"lm_head.weight": (s.vocab, h), "model.embed_tokens.weight": (s.vocab, h), "model.norm.weight": (h,)}
    for i in range(s.layers):
        layer, attn = f"model.layers.{i}.", f"model.layers.{i}.self_attn."
        shapes |= {layer + "input_layernorm.weight": (h,), layer + "post_attention_layernorm.weight": (h,)}
        shapes |= {attn + "q_proj.weight": (s.heads * d, h), attn + "k_proj.weight": (s.kv_heads * d, h),
                   attn + "v_proj.weight": (s.kv_heads * d, h), attn + "o_proj.weight": (h, s.heads * d),
                   attn + "q_norm.weight": (d,), attn + "k_norm.weight": (d,)}
        if s.attn[i]:
            shapes |= {attn + "index_q_proj.weight": (s.index_heads * s.index_dim, h),
                       attn + "index_k_proj.weight": (s.index_dim, h),
                       attn + "index_q_norm.weight": (s.index_dim,), attn + "index_k_norm.weight": (s.index_dim,)}
        if not s.moe[i]:
            shapes |= mlp_shapes(layer + "mlp.", "gate_proj", "up_proj", "down_proj", s.dense_inter, h)
            continue
        moe = layer + "block_sparse_moe."
        shapes |= {moe + GATE: (s.experts, h), moe + BIAS: (s.experts,)}
        shapes |= mlp_shapes(moe + "shared_experts.", "gate_proj", "up_proj", "down_proj", s.shared_inter, h)
        for e in range(s.experts):
            shapes |= mlp_shapes(f"{moe}experts.{e}.", "w1", "w3", "w2", s.inter, h)
    return {"language_model." + name: shape for name, shape in shapes.items()}


def mlp_shapes(prefix: str, gate: str, up: str, down: str, inner: int, h: int) -> dict[str, tuple[int, ...]]:
    return {f"{prefix}{gate}.weight": (inner, h), f"{prefix}{up}.weight": (inner, h),
            f"{prefix}{down}.weight": (h, inner)}


def vision_shapes(s: Settings) -> dict[str, tuple[int, ...]]:
    v, p, h = s.vision_hidden, s.hidden // 2, s.hidden
    if s.text_only or not v:
        return {}
    tower, f = "vision_tower.vision_model.", s.vision_inter or v + 4
    shapes = {tower + "embeddings." + PATCH: (v, 3, 2, s.patch_size, s.patch_size),
              tower + "pre_layrnorm.weight": (v,), tower + "pre_layrnorm.bias": (v,)}
    linears = {"multi_modal_projector.linear_1": (p, v), "multi_modal_projector.linear_2": (h, p),
               "patch_merge_mlp.linear_1": (p, 4 * h), "patch_merge_mlp.linear_2": (h, p)}
    for layer in (f"{tower}encoder.layers.{i}." for i in range(s.vision_layers)):
        linears |= {layer + "mlp.fc1": (f, v), layer + "mlp.fc2": (v, f)}
        linears |= {f"{layer}self_attn.{name}_proj": (v, v) for name in ("q", "k", "v", "out")}
        linears |= {layer + "layer_norm1": (v,), layer + "layer_norm2": (v,)}
    for name, shape in linears.items():
        shapes |= {name + ".weight": shape, name + ".bias": shape[:1]}
    return shapes


def spread(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    """Mean and standard deviation of a tensor: large enough that every branch of the model is taken."""
    fan_in = int(np.prod(shape[1:])) if len(shape) > 1 else 1
    gains = (  # the first match applies
        (("index_q_norm", "index_k_norm"), 0.65, 0.4), (("q_norm", "k_norm"), 0.85, 0.4),  # peaky scores
        (("vision_tower", "multi_modal", "patch_merge"), 1.0 if "norm" in name and "weight" in name else 0.0,
         0.2 if len(shape) == 1 else fan_in**-0.5),
        (("norm.weight", "layernorm.weight"), 0.0, 0.3),  # gamma is stored zero-centred
        ((BIAS,), 0.0, 0.15), ((GATE,), 0.0, 1.8 * fan_in**-0.5),
        (("gate_proj", "up_proj", "w1", "w3"), 0.0, 3.7 * fan_in**-0.5),  # beyond the clamp at 7
        (("down_proj", "w2"), 0.0, 0.15 * fan_in**-0.5), (("o_proj",), 0.0, 0.8 * fan_in**-0.5),
        (("v_proj",), 0.0, 1.3 * fan_in**-0.5), (("embed_tokens",), 0.0, 1.0), (("lm_head",), 0.0, 1.5 * fan_in**-0.5),
        (("",), 0.0, 1.1 * fan_in**-0.5),
    )
    return next((mean, std) for keys, mean, std in gains if any(key in name for key in keys))


def weights(s: Settings) -> dict[str, torch.Tensor]:
    """Published name -> tensor. Every tensor has its own stream: changing one size leaves the others alone."""
    if s.model == "text01":
        return text01.weights(s, TORCH_DTYPE[s.dtype])
    tensors = {}
    shapes = published_m2.shapes(s) if s.model == "m2" else text_shapes(s) | vision_shapes(s)
    for name, shape in shapes.items():
        rng = np.random.Generator(np.random.PCG64([s.seed, zlib.crc32(name.encode())]))
        mean, std = spread(name, shape)
        mean += s.model == "m2" and len(shape) == 1 and BIAS not in name  # gains that are not zero-centred
        if s.images + s.videos and name.endswith(("fc1.weight", "q_proj.weight")) \
                and "language_model" not in name:
            std *= 2  # reaches both tails of gelu and makes attention peaky
        values = torch.from_numpy(mean + std * rng.standard_normal(shape)).float()
        keep_f32 = name.endswith((GATE, BIAS, PATCH))
        tensors[name] = values if keep_f32 else values.to(TORCH_DTYPE[s.dtype])
    return tensors
