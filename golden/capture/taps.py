# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Axes, component and role of every tap (golden-format.md, sections 4 to 5b)."""

from __future__ import annotations

import fnmatch

INPUTS = {"tokens/input_ids": "B,S", "tokens/position_ids": "B,S", "tokens/labels": "B,S",
          "tokens/attention_mask": "B,K", "tokens/start_positions": "B", "tokens/end_positions": "B",
          "tokens/cache_rows": "B"}
TABLE = (  # glob, axes, component; first match wins
    ("vision/*/pixel_values", "P,F", "input"),
    ("vision/*/grid_thw", "M,3", "input"),
    ("vision/*/patch_embed/out", "P,H", "patch_embed"),
    ("vision/*/pre_norm/out", "P,H", "layer_norm"),
    ("vision/*/rope/*", "P,R", "vision_rotary_tables"),
    ("vision/*/layer_norm[12]/out", "1,P,H", "layer_norm"),
    ("vision/*/attention/[qkv]_proj/out", "1,P,AD", "linear"),
    ("vision/*/attention/[qk]_rope/out", "1,P,A,D", "vision_rope"),
    ("vision/*/attention/core/out", "1,P,AD", "vision_attention"),
    ("vision/*/attention/out_proj/out", "1,P,H", "linear"),
    ("vision/*/attention_residual/out", "1,P,H", "residual_add"),
    ("vision/*/mlp/activation/out", "1,P,F", "gelu"),
    ("vision/*/mlp/fc[12]/out", "1,P,F", "linear"),
    ("vision/*/layers/[0-9][0-9]/out", "1,P,H", "residual_add"),
    ("vision/*/projector/activation/out", "P,F", "gelu"),
    ("vision/*/projector/linear_[12]/out", "P,F", "linear"),
    ("vision/*/merger/in", "O,F", "patch_merge"),
    ("vision/*/merger/activation/out", "O,F", "gelu"),
    ("vision/*/merger/linear_[12]/out", "O,F", "linear"),
    ("splice/out", "B,S,H", "splice"),
    ("text/embed/out", "B,S,H", "token_embedding"),
    ("text/rope/*", "B,S,R", "rotary_tables"),
    ("*/indexer/scores", "B,X,S,K", "index_block_scores"),
    ("*/indexer/block_scores", "B,X,S,J", "index_block_scores"),
    ("*/indexer/block_indices", "B,X,S,T", "index_select"),
    ("*/indexer/q_proj/out", "B,S,XI", "linear"),
    ("*/indexer/k_proj/out", "B,S,I", "linear"),
    ("*/indexer/q_norm/out", "B,S,X,I", "rms_norm"),
    ("*/indexer/k_norm/out", "B,S,1,I", "rms_norm"),
    ("*/indexer/q_rope/out", "B,X,S,I", "partial_rope"),
    ("*/indexer/k_rope/out", "B,1,S,I", "partial_rope"),
    ("tables/*/slope_rate", "A,1,1", "lightning_tables"),
    ("tables/*/diagonal_decay", "1,A,Q,Q", "lightning_tables"),
    ("tables/*_decay", "A,Q,1", "lightning_tables"),
    ("*/attention/qkv_proj/out", "B,S,3AD", "linear"),
    ("*/attention/qkv_activation/out", "B,S,3AD", "silu"),
    ("*/attention/[qkv]/out", "B,A,S,D", "lightning_split"),
    ("*/attention/qkv_masked/out", "B,S,3AD", "lightning_mask"),
    ("*/attention/v_masked/out", "B,A,S,D", "lightning_mask"),
    ("*/attention/intra/out", "B,A,S,D", "lightning_attention"),
    ("*/attention/inter/out", "B,A,S,D", "lightning_attention"),
    ("*/attention/block_states", "J,B,A,D,D", "lightning_attention"),
    ("*/attention/norm/out", "B,S,AD", "rms_norm"),
    ("*/attention/output_gate/out", "B,S,AD", "linear"),
    ("*/attention/gated/out", "B,S,AD", "sigmoid_gate"),
    ("*/attention/out_proj/out", "B,S,H", "linear"),
    ("*/cache/state", "B,A,D,D", "lightning_attention"),
    ("*/attention/q_proj/out", "B,S,AD", "linear"),
    ("*/attention/[kv]_proj/out", "B,S,GD", "linear"),
    ("*/attention/q_norm/out", "B,S,A,D", "rms_norm"),
    ("*/attention/k_norm/out", "B,S,G,D", "rms_norm"),
    ("*/attention/q_rope/out", "B,A,S,D", "partial_rope"),
    ("*/attention/k_rope/out", "B,G,S,D", "partial_rope"),
    ("*/attention/core/out", "B,S,AD", "attention_dense"),
    ("*/attention/o_proj/out", "B,S,H", "linear"),
    ("*/attention_residual/out", "B,S,H", "residual_add"),
    ("*_norm/out", "B,S,H", "rms_norm"),
    ("*/gate_up/out", "B,S,2F", "linear"),
    ("*/activation/out", "B,S,F", "swiglu"),
    ("*/down/out", "B,S,H", "linear"),
    ("*/router/logits", "N,E", "linear"),
    ("*/router/scores", "N,E", "router"),
    ("*/router/choice", "N,E", "router"),
    ("*/router/weights", "N,T", "router"),
    ("*/router/indices", "N,T", "router"),
    ("*/experts/slot_activation", "N,T,F", "moe_experts"),
    ("*/experts/slot_weighted", "N,T,H", "moe_experts"),
    ("*/experts/out", "N,H", "moe_experts"),
    ("*/moe/out", "B,S,H", "moe_combine"),
    ("*/cache/index_k", "B,1,K,I", "cache_append"),
    ("*/cache/[kv]", "B,G,K,D", "cache_append"),
    ("text/layers/[0-9][0-9]/out", "B,S,H", "residual_add"),
    ("text/lm_head/out", "B,S,V", "linear"),
    ("text/score/out", "B,S,L", "linear"),
    ("text/qa_outputs/out", "B,S,2", "linear"),
    ("text/pooled/position", "B", "pool_last_token"),
    ("text/pooled/out", "B,L", "pool_last_token"),
    ("loss", "", "cross_entropy"),
    ("aux_loss", "", "router_aux_loss"),
)


def describe(tap: str, rank: int, sparse: bool) -> dict[str, str]:
    """The attributes of one recorded tap; `sparse`: its layer has block-sparse attention."""
    if tap in INPUTS:  # labels of whole sequences have one axis
        return {"axes": "B" if tap == "tokens/labels" and rank == 1 else INPUTS[tap], "component": "input", "role": "input"}
    axes, component = next((a, c) for glob, a, c in TABLE if fnmatch.fnmatchcase(tap, glob))
    if "/indexer/block_" in tap and rank == 3:  # one list per query: no axis for the index heads
        axes = axes.replace("X,", "")
    if tap.endswith(("/attention/q_norm/out", "/attention/k_norm/out")) and rank == 3:  # M2: before the heads are split
        axes = axes.replace("A,D", "AD").replace("G,D", "GD")
    if "/moe/shared/" in tap:  # the shared expert works on flattened tokens
        axes = axes.replace("B,S", "N")
    if component == "attention_dense" and rank == 4:  # lightning attention leaves the heads apart
        axes, component = "B,A,S,D", "lightning_attention"
    elif component == "attention_dense" and sparse:
        component = "attention_block_sparse"
    count = len(axes.split(",")) if axes else 0
    if tap.startswith("vision/") and axes.startswith("1,") and count == rank + 1:  # 5.23.0 inside the attention
        axes, count = axes[2:], rank
    if count != rank:
        raise ValueError(f"tap {tap} has {rank} dimensions, golden-format.md says {axes or 'a scalar'}")
    role = "input" if component == "input" else role_of(tap)
    return {"axes": axes, "component": component, "role": role}


def role_of(tap: str) -> str:
    return "parameter" if tap.startswith("tables/") else "state" if "/cache/" in tap else "output"


def wanted(tap: str, step: int, keep: tuple[str, ...], drop: tuple[str, ...]) -> bool:
    """Whether a tap passes the --keep and --drop globs, which see TAP and NNN/TAP."""
    names = (tap, f"{step:03d}/{tap}")
    matches = lambda globs: any(fnmatch.fnmatchcase(name, glob) for glob in globs for name in names)
    return (not keep or matches(keep)) and not matches(drop)
