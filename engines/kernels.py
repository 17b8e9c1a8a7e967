# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Calls Triton functions that vLLM and SGLang ship under the same names, on the operands that a golden recorded."""

from __future__ import annotations

from registry import Run

NORMS = ("*_norm/out", "*/attention_residual/out", "*/mlp/activation/out", "*/shared/activation/out")
OPTIONS = {"triton": (), "on": ("interpreter", "machine"), "part": ("elementwise", "lightning")}
STATES = ("*/layers/01/attention/core/out", "*/cache/state")


def run_of(version: str, on: str, part: str) -> Run:
    """A run of a part, elementwise or lightning, in the interpreter or on the machine."""
    options = ("triton=3.9.0", f"on={on}", f"part={part}")
    if part == "lightning":
        return Run(version, "text01-decay-f32", options, only=STATES, inputs="golden")
    return Run(version, "m3-even-bf16", options, only=NORMS, without=("*/final_norm/out",), inputs="golden")


def elementwise(golden, capture, norms, activations) -> None:
    """Every norm, the norms that first add the residual, and SwiGLU; of two modules of a release."""
    c = golden.config

    def norm(at: str, source: str, weight: str, width: int = 0) -> None:
        if source in golden:
            x = golden.get(source)
            rows = x.reshape(*x.shape[:-1], -1, width) if width else x
            out = norms.gemma_rmsnorm(rows, golden.weight(weight), c["rms_norm_eps"])
            capture.put(at, out.float().numpy())

    for prefix, _ in golden.calls():
        for i in range(c["num_hidden_layers"]):
            at, name = f"{prefix}text/layers/{i:02d}/", f"layers.{i}."
            norm(at + "input_norm/out", at + "in", name + "input_layernorm.weight")
            for part, inner, width in (("", "", c["head_dim"]), ("indexer/", "index_", c["head_dim"])):
                for letter in "qk":
                    norm(f"{at}attention/{part}{letter}_norm/out", f"{at}attention/{part}{letter}_proj/out",
                         f"{name}self_attn.{inner}{letter}_norm.weight", width)
            normed, total = norms.gemma_fused_add_rmsnorm(
                golden.get(at + "attention/o_proj/out"), golden.get(at + "in"),
                golden.weight(name + "post_attention_layernorm.weight"), c["rms_norm_eps"])
            capture.put(at + "attention_residual/out", total.float().numpy())
            capture.put(at + "post_attention_norm/out", normed.float().numpy())
            for part in ("mlp/", "moe/shared/"):
                if at + part + "gate_up/out" in golden:
                    out = activations.swiglu_oai_split(golden.get(at + part + "gate_up/out"), c["swiglu_alpha"], 1.0,
                                                      c["swiglu_limit"])
                    capture.put(at + part + "activation/out", out.float().numpy())


def lightning(golden, capture, module) -> None:
    """Prefill, decode and chunk, each from the state that the golden recorded before it."""
    import torch

    for i in (i for i, kind in enumerate(golden.config["layer_types"]) if kind == "linear_attention"):
        state, slope = None, golden.get(f"tables/text/layers/{i:02d}/attention/slope_rate").float()
        for prefix, kind in golden.calls():
            at = f"{prefix}text/layers/{i:02d}/"
            # The engines widen these, too.
            q, k, v = (golden.get(f"{at}attention/{name}/out").float().contiguous() for name in "qkv")
            if state is None:
                state = torch.zeros(*q.shape[:2], q.shape[-1], q.shape[-1])
            if kind == "decode":
                out = module.linear_decode_forward_triton(q, k, v, state, slope[:, 0, 0], torch.arange(len(q)), 32)
                out = out.reshape(len(q), 1, q.shape[1], -1).transpose(1, 2)
            else:
                out, kv = module.lightning_attention(q, k, v, slope, block_size=256, kv_history=state)
                state = kv[:, :, -1]
            capture.put(at + "attention/core/out", out.numpy(), "f32")
            capture.put(at + "cache/state", state.numpy(), "f32")
            state = golden.get(at + "cache/state").float()  # each call on what the golden recorded
