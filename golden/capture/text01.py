# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""MiniMax-Text-01: a tiny checkpoint in the published layout, its model, its caches, and what a golden must exercise."""

from __future__ import annotations

import importlib
import zlib

import numpy as np
import torch

import heads
from settings import Settings, SettingsError

TABLES = ("slope_rate", "query_decay", "key_decay", "diagonal_decay")
ALPHA = 3.5565588200778455  # of the published model


def modeling_module():
    return importlib.import_module("transformers.models.minimax.modeling_minimax")


def config(s: Settings) -> dict:
    return {
        "architectures": ["MiniMaxForCausalLM"], "model_type": "minimax", "vocab_size": s.vocab,
        "hidden_size": s.hidden, "intermediate_size": s.inter, "num_hidden_layers": s.layers,
        "num_attention_heads": s.heads, "num_key_value_heads": s.kv_heads, "head_dim": s.head_dim,
        "hidden_act": "silu", "max_position_embeddings": 4096, "rms_norm_eps": 1e-5, "rope_theta": s.rope_theta,
        "rotary_dim": s.rotary_dim, "sliding_window": None, "attention_dropout": 0.0, "num_local_experts": s.experts,
        "num_experts_per_tok": s.top_k, "router_aux_loss_coef": 0.001, "router_jitter_noise": 0.0,
        "layer_types": ["linear_attention" if linear else "full_attention" for linear in s.attn],
        "block_size": s.block, "full_attn_alpha_factor": ALPHA, "full_attn_beta_factor": 1.0,
        "linear_attn_alpha_factor": 1.5, "linear_attn_beta_factor": 0.75, "mlp_alpha_factor": 2.25,
        "mlp_beta_factor": 0.9, "bos_token_id": 1, "eos_token_id": 2, "tie_word_embeddings": False,
    } | heads.config(s)


def shapes(s: Settings) -> dict[str, tuple[int, ...]]:
    h, width = s.hidden, s.heads * s.head_dim
    result = heads.shapes(s) | {"model.embed_tokens.weight": (s.vocab, h), "model.norm.weight": (h,)}
    for i, linear in enumerate(s.attn):
        layer, attn = f"model.layers.{i}.", f"model.layers.{i}.self_attn."
        result |= {layer + "input_layernorm.weight": (h,), layer + "post_attention_layernorm.weight": (h,)}
        if linear:
            result |= {attn + "qkv_proj.weight": (3 * width, h), attn + "output_gate.weight": (width, h),
                       attn + "norm.weight": (width,), attn + "out_proj.weight": (h, width)}
        else:
            result |= {attn + "q_proj.weight": (width, h), attn + "k_proj.weight": (s.kv_heads * s.head_dim, h),
                       attn + "v_proj.weight": (s.kv_heads * s.head_dim, h), attn + "o_proj.weight": (h, width)}
        moe = layer + "block_sparse_moe."
        result[moe + "gate.weight"] = (s.experts, h)
        for e in range(s.experts):
            result |= {f"{moe}experts.{e}.w1.weight": (s.inter, h), f"{moe}experts.{e}.w3.weight": (s.inter, h),
                       f"{moe}experts.{e}.w2.weight": (h, s.inter)}
    return result


def spread(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    """Mean and standard deviation of a tensor. Norm weights are the gains themselves: around one."""
    fan_in = shape[-1]
    if "norm" in name:
        return 1.0, 0.3
    gains = ((("qkv_proj",), 1.6), (("gate.weight",), 1.8), (("output_gate",), 1.5), (("q_proj", "k_proj"), 1.5),
             (("w1", "w3"), 1.6), (("lm_head",), 1.5), (("",), 1.1))
    if "embed_tokens" in name:
        return 0.0, 1.0
    return 0.0, next(gain for keys, gain in gains if any(key in name for key in keys)) * fan_in**-0.5


def decay_tables(s: Settings, layer: int) -> dict[str, torch.Tensor]:
    """As save_pretrained stores them: built in binary32, rounded once when the checkpoint is bf16."""
    rate = (1 / 2 ** (8 / s.heads)) ** (torch.arange(s.heads) + 1)
    slope = (rate * (1 - layer / (s.layers - 1 + 1e-5) + 1e-5))[:, None, None]
    i = torch.arange(s.block) + 1
    distance = (i[:, None] - i[None, :])[None, None]
    diagonal = torch.where(distance >= 0, torch.exp(-slope * distance), 0.0)
    tables = (slope, torch.exp(-slope * i[:, None]), torch.exp(-slope * (s.block - i[:, None])), diagonal)
    return dict(zip(TABLES, tables))


def weights(s: Settings, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    tensors = {}
    for name, shape in shapes(s).items():
        rng = np.random.Generator(np.random.PCG64([s.seed, zlib.crc32(name.encode())]))
        mean, std = spread(name, shape)
        tensors[name] = torch.from_numpy(mean + std * rng.standard_normal(shape)).to(dtype)
    for layer in (i for i, linear in enumerate(s.attn) if linear):
        for name, table in decay_tables(s, layer).items():
            tensors[f"model.layers.{layer}.self_attn.{name}"] = table.to(dtype).contiguous()
    return tensors


def load(s: Settings, folder: str, dtype: torch.dtype):
    """(model, its text stack, its modeling module), in the working type, ready to record."""
    modeling = modeling_module()
    options = {"experts_implementation": "eager"} if hasattr(modeling, "MiniMaxExperts") else {}
    model, info = getattr(modeling, heads.CLASSES[s.head]).from_pretrained(
        folder, dtype=dtype, attn_implementation=s.attention, output_loading_info=True, local_files_only=True, **options)
    problems = {key: sorted(info[key]) for key in ("missing_keys", "unexpected_keys", "mismatched_keys") if info[key]}
    if problems:
        raise SettingsError(f"transformers cannot load the checkpoint that this script made: {problems}")
    return model.eval(), model.model, modeling


def widen(model) -> None:
    """Decay tables of a binary64 run: rebuilt from the formula, whatever the checkpoint stored."""
    for module in model.modules():
        if hasattr(module, "get_slope_rate"):
            default = torch.get_default_dtype()
            torch.set_default_dtype(torch.float64)
            slope = module.get_slope_rate()
            tables = (slope, *module.decay_factors(slope))
            torch.set_default_dtype(default)
            for name, table in zip(TABLES, tables):
                setattr(module, name, table)


def tables(text, s: Settings) -> dict[str, torch.Tensor]:
    """The decay tables as used, under /tables."""
    return {f"text/layers/{i:02d}/attention/{name}": getattr(text.layers[i].self_attn, name)
            for i, linear in enumerate(s.attn) if linear for name in TABLES}


def cached(cache, s: Settings, everything: bool) -> dict:
    """States of every call; keys and values of the first and last one."""
    taps = {}
    for i, linear in enumerate(s.attn):
        prefix = f"text/layers/{i:02d}/cache/"
        if linear:
            taps[prefix + "state"] = cache.linear_cache[i].clone()
        elif everything:
            taps |= {prefix + "k": cache.layers[i].keys.clone(), prefix + "v": cache.layers[i].values.clone()}
    return taps


def measure(steps, s: Settings) -> dict[str, dict]:
    longest = max(s.lengths)
    rows = {"blocks": {"per prefill": -(-longest // s.block), "in last block": longest % s.block}}
    for i in range(s.layers):
        prefix = f"text/layers/{i:02d}/moe/router/"
        ordered = [step.taps[prefix + "scores"].sort(dim=-1, descending=True).values for step in steps]
        rows[prefix.rstrip("/")] = {
            "ties": sum((o[..., s.top_k - 1] == o[..., s.top_k]).sum().item() for o in ordered),
            "experts used": len(steps[0].taps[prefix + "indices"].unique()),
        }
    return rows


def problems(rows: dict[str, dict], s: Settings) -> list[str]:
    found = []
    if rows["blocks"]["per prefill"] < 3 or rows["blocks"]["in last block"] == 0:
        found.append("the prefill needs three blocks or more and a partial last one; change --lengths or --block")
    if len(set(s.lengths)) == 1 and not s.even:
        found.append("all sequences have the same length, so padding is not tested; change --lengths, or give --even")
    for row, values in rows.items():
        if values.get("ties"):
            found.append(f"{row}: {values['ties']} rows tie at the last chosen score, so the choice is arbitrary; "
                         "try another --seed")
        if values.get("experts used", s.experts) < 0.75 * s.experts:
            found.append(f"{row}: only {values['experts used']} of {s.experts} experts are used; try another --seed")
    return found
