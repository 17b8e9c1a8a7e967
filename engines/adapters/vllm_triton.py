# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""vLLM's Triton kernels of MiniMax-M3's norms and SwiGLU and of Text-01's attention, on operands that a golden recorded.

options: on=interpreter|machine; part=elementwise|lightning"""

from __future__ import annotations

import pathlib

import capture as captures
from registry import Engine, Note, Run

M3, LAYERS = "vllm/models/minimax_m3/", "vllm/model_executor/layers/"
FILES = [M3 + "amd/ops/gemma_rmsnorm.py", M3 + "amd/ops/swiglu_oai.py", LAYERS + "lightning_attn.py"]


def elementwise(golden, capture) -> None:
    from vllm.models.minimax_m3.amd.ops import gemma_rmsnorm, swiglu_oai

    c = golden.config

    def norm(at: str, source: str, weight: str, width: int = 0) -> None:
        if source in golden:
            x = golden.get(source)
            rows = x.reshape(*x.shape[:-1], -1, width) if width else x
            out = gemma_rmsnorm.gemma_rmsnorm(rows, golden.weight(weight), c["rms_norm_eps"])
            capture.put(at, out.float().numpy())

    for prefix, _ in golden.calls():
        for i in range(c["num_hidden_layers"]):
            at, name = f"{prefix}text/layers/{i:02d}/", f"layers.{i}."
            norm(at + "input_norm/out", at + "in", name + "input_layernorm.weight")
            for part, inner, width in (("", "", c["head_dim"]), ("indexer/", "index_", c["head_dim"])):
                for letter in "qk":
                    norm(f"{at}attention/{part}{letter}_norm/out", f"{at}attention/{part}{letter}_proj/out",
                         f"{name}self_attn.{inner}{letter}_norm.weight", width)
            normed, total = gemma_rmsnorm.gemma_fused_add_rmsnorm(
                golden.get(at + "attention/o_proj/out"), golden.get(at + "in"),
                golden.weight(name + "post_attention_layernorm.weight"), c["rms_norm_eps"])
            capture.put(at + "attention_residual/out", total.float().numpy())
            capture.put(at + "post_attention_norm/out", normed.float().numpy())
            for part in ("mlp/", "moe/shared/"):
                if at + part + "gate_up/out" in golden:
                    out = swiglu_oai.swiglu_oai_split(golden.get(at + part + "gate_up/out"), c["swiglu_alpha"], 1.0,
                                                      c["swiglu_limit"])
                    capture.put(at + part + "activation/out", out.float().numpy())


def lightning(golden, capture) -> None:
    import torch
    from vllm.model_executor.layers import lightning_attn

    for i in (i for i, kind in enumerate(golden.config["layer_types"]) if kind == "linear_attention"):
        state, slope = None, golden.get(f"tables/text/layers/{i:02d}/attention/slope_rate").float()
        for prefix, kind in golden.calls():
            at = f"{prefix}text/layers/{i:02d}/"
            q, k, v = (golden.get(f"{at}attention/{name}/out").contiguous() for name in "qkv")
            if state is None:
                state = torch.zeros(*q.shape[:2], q.shape[-1], q.shape[-1])
            if kind == "decode":
                slots = torch.arange(len(q))
                out = lightning_attn.linear_decode_forward_triton(q, k, v, state, slope[:, 0, 0], slots, 32)
                out = out.reshape(len(q), 1, q.shape[1], -1).transpose(1, 2)
            else:
                out, kv = lightning_attn.lightning_attention(q, k, v, slope, block_size=256, kv_history=state.clone())
                state = kv[:, :, -1] if kv.dim() == 5 else kv
            capture.put(at + "attention/core/out", out.float().numpy())
            capture.put(at + "cache/state", state.float().numpy(), "f32")


def fill(capture, checkpoint: pathlib.Path, options: dict) -> None:
    import triton_host

    triton_host.start(options["on"])
    from inputs import Golden

    triton_host.release("vllm", options["release"], FILES, {"vllm.v1.attention.backends.utils": {"PAD_SLOT_ID": -1}})
    from vllm.model_executor.layers import lightning_attn
    from vllm.models.minimax_m3.amd.ops import gemma_rmsnorm

    for module in (lightning_attn, gemma_rmsnorm):
        triton_host.smallest(module)
    {"elementwise": elementwise, "lightning": lightning}[options["part"]](Golden(checkpoint), capture)


NORMS = ("*_norm/out", "*/attention_residual/out", "*/mlp/activation/out", "*/shared/activation/out")
STATES = ("*/layers/0?/attention/core/out", "*/cache/state")


def run_of(version: str, on: str, part: str) -> Run:
    elementwise_ = part == "elementwise"
    return Run(version, "m3-even-bf16" if elementwise_ else "text01-tiles-bf16", ("triton=3.9.0", f"on={on}", f"part={part}"),
               only=NORMS if elementwise_ else STATES, without=("*/final_norm/out",) if elementwise_ else (),
               inputs="golden")


ENGINE = Engine(
    name="vllm-triton", pip=("triton=={triton}", "einops", "pip"), torch=True,
    runs=tuple(run_of("0.33.0", on, part) for part in ("elementwise", "lightning") for on in ("interpreter", "machine")),
)

if __name__ == "__main__":
    given = captures.arguments(__doc__)
    with captures.Capture(given.capture, "vllm") as opened:
        fill(opened, given.checkpoint, given.options)
