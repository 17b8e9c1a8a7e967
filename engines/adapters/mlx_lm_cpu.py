# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""mlx-lm's MiniMax-M3 and -M2 on MLX's CPU backend.

Results of modules and local variables are read while the unmodified code runs. One thing is not as shipped: the CPU
backend multiplies gathered matrices in binary32 only, so that bf16 experts are widened for it and rounded after it."""

from __future__ import annotations

import json
import pathlib

import capture as captures
from registry import Bug, Engine, Note, Run

PROJECTIONS = ("q_proj", "k_proj", "v_proj", "o_proj", "q_norm", "k_norm")


def widen_gathered_products(mx) -> None:
    original = mx.gather_mm

    def gather_mm(a, b, *arguments, **options):
        kind = mx.result_type(a, b)
        return original(a.astype(mx.float32), b.astype(mx.float32), *arguments, **options).astype(kind)

    mx.gather_mm = gather_mm


def load(checkpoint: pathlib.Path):
    """(model, its text stack, the module that defines it)"""
    import importlib

    import mlx.core as mx

    config = json.loads((checkpoint / "config.json").read_text(encoding="utf-8"))
    module = importlib.import_module("mlx_lm.models." + ("minimax_m3_vl" if "text_config" in config else "minimax"))
    model = module.Model(module.ModelArgs.from_dict(config))
    weights = model.sanitize(mx.load(str(checkpoint / "model.safetensors")))
    model.load_weights(list(weights.items()), strict=True)
    mx.eval(model.parameters())
    return model, getattr(model, "language_model", model), module


def watch(results, text) -> dict[int, str]:
    """Watches every module whose result is a tap; returns the prefixes of those whose variables are taps."""
    stack, prefixes = text.model, {}
    ends = ((stack.embed_tokens, "embed/out"), (stack.norm, "final_norm/out"), (text.lm_head, "lm_head/out"))
    for owner, tap in ends:
        results.watch(owner, "text/" + tap)
    for index, layer in enumerate(stack.layers):
        at, attention = f"text/layers/{index:02d}/", layer.self_attn
        results.watch(layer.input_layernorm, at + "input_norm/out")
        results.watch(layer.post_attention_layernorm, at + "post_attention_norm/out")
        for name in PROJECTIONS:
            results.watch(attention[name], f"{at}attention/{name}/out")
            if "index_" + name in attention:
                results.watch(attention["index_" + name], f"{at}attention/indexer/{name}/out")
        for name, inner in (("rope", ""), ("index_rope", "indexer/")):
            if name in attention:
                results.watch(attention[name], f"{at}attention/{inner}rope")
        prefixes |= {id(layer): at, id(attention): at + "attention/"}
        if "block_sparse_moe" in layer:
            moe = layer.block_sparse_moe
            prefixes[id(moe)] = at + "moe/"
            results.watch(moe, at + "moe/out")
            results.watch(moe.gate, at + "moe/router/logits")
        shared = layer.get("block_sparse_moe", {}).get("shared_experts")
        for owner, inner in ((layer.get("mlp"), "mlp/"), (shared, "moe/shared/")):
            for name in ("gate_proj", "up_proj", "down_proj", "activation") if owner else ():
                results.watch(owner[name], at + inner + name)
    return prefixes


def bindings_of(module, prefixes):
    from tracing import Bindings

    found, classes = Bindings(prefixes), {name.removeprefix("MiniMax"): kind for name, kind in vars(module).items()}
    found.watch(classes["DecoderLayer"].__call__, "r")
    found.watch(classes["SparseMoeBlock"].__call__, "scores", "inds", "y")
    found.watch(classes["Attention"].__call__, "out" if "_block_mask" in vars(classes["Attention"]) else "output")
    if "_block_mask" in vars(classes["Attention"]):
        found.watch(classes["Attention"]._block_mask, "scores", "block_scores", "inds")
    return found


def of_modules(found: dict) -> dict:
    """Taps out of module results: queries pass the rotation before keys, of the index keys before queries."""
    import mlx.core as mx

    taps = {}
    for tap, values in found.items():
        at, _, name = tap.rpartition("/")
        if name == "rope":
            order = ("k", "q") if at.endswith("indexer") else ("q", "k")
            taps |= {f"{at}/{letter}_rope/out": value for letter, value in zip(order, values)}
        elif name == "gate_proj":
            taps[at + "/gate_up/out"] = mx.concatenate([values[-1], found[at + "/up_proj"][-1]], axis=-1)
        elif name in ("activation", "down_proj"):  # the routed experts call the shared expert's activation, after it
            taps[f"{at}/{name.removesuffix('_proj')}/out"] = values[0]
        else:
            heads_first = name == "out" and tap.endswith(("/q_norm/out", "/k_norm/out")) and values[-1].ndim == 4
            swap = heads_first and "indexer" not in tap
            taps[tap] = values[-1].transpose(0, 2, 1, 3) if swap else values[-1]
    return taps


def of_variables(found: dict, local_blocks: int) -> dict:
    import mlx.core as mx

    taps = {}
    for at, names in found.items():
        if at.endswith("attention/"):
            taps[at + "core/out"] = (names.get("out") or names["output"])[-1]
            if "block_scores" in names:
                scores, forced = names["block_scores"], names["block_scores"][-1]
                taps |= {at + "indexer/scores": names["scores"][0],
                         at + "indexer/block_scores": scores[-2] if local_blocks else scores[-1]}
                chosen = mx.take_along_axis(forced, names["inds"][-1], axis=-1)
                order = mx.argsort(-chosen, axis=-1)  # invisible blocks, which the mask drops, come last
                ids = mx.take_along_axis(names["inds"][-1].astype(mx.int64), order, axis=-1)
                unseen = mx.take_along_axis(chosen, order, axis=-1) == -mx.inf
                taps[at + "indexer/block_indices"] = mx.where(unseen, -1, ids)
        elif at.endswith("moe/"):
            taps |= {at + f"router/{name}": value for name, value in
                     zip(("scores", "choice", "", "weights"), names["scores"]) if name}
            taps[at + "router/indices"] = names["inds"][-1].astype(mx.int64)
            if len(names["y"]) == 2:  # M2; M3's sum is scaled already
                taps[at + "experts/out"] = names["y"][-1]
        else:
            taps |= {at + "attention_residual/out": names["r"][0], at + "out": names["r"][-1]}
    return taps


def of_cache(cache) -> dict:
    taps = {}
    for index, layer in enumerate(cache):
        parts = getattr(layer, "caches", (layer,))
        used = parts[0].offset
        named = [("k", parts[0].keys), ("v", parts[0].values)] + [("index_k", part.keys) for part in parts[1:]]
        taps |= {f"text/layers/{index:02d}/cache/{name}": value[..., :used, :]
                 for name, value in named if value is not None}
    return taps


def state_router_weights(capture, checkpoint: pathlib.Path) -> None:
    """The package keeps these in the checkpoint's binary32, whatever the model's type."""
    import mlx.core as mx
    import numpy as np

    for name, value in mx.load(str(checkpoint / "model.safetensors")).items():
        if name.endswith(("e_score_correction_bias", "block_sparse_moe.gate.weight")) and value.dtype == mx.float32:
            capture.own_weight(name, np.array(value))


def fill(capture, checkpoint: pathlib.Path, options: dict) -> None:
    import mlx.core as mx
    import numpy as np
    from mlx_lm.models.cache import make_prompt_cache
    from tracing import Results

    mx.set_default_device(mx.cpu)
    widen_gathered_products(mx)
    model, text, module = load(checkpoint)
    cache, results = make_prompt_cache(model), Results()
    prefixes = watch(results, text)
    local = capture.config.get("text_config", {}).get("sparse_attention_config", {}).get("sparse_local_block", 0)
    state_router_weights(capture, checkpoint)
    capture.state(ids_order="set", **{name: options[name] for name in ("function_ulps",) if name in options})
    for call in capture.calls():
        if not call.tokens["attention_mask"].all():
            raise SystemExit("mlx-lm is run without padding here; take a golden whose sequences are equally long")
        results.found.clear()
        with results, bindings_of(module, prefixes) as variables:
            model(mx.array(call.tokens["input_ids"]), cache=cache)
        for tap, value in (of_modules(results.found) | of_variables(variables.found, local) | of_cache(cache)).items():
            kind = {mx.bfloat16: "bf16", mx.float32: "f32"}.get(value.dtype, "")
            values = value.astype(mx.float32) if kind else value
            capture.put(call.prefix + tap, np.array(values), kind)


ENGINE = Engine(
    name="mlx-lm", pip=("mlx-lm=={version}", "mlx[cpu]==0.32.4"), options={"function_ulps": ()},
    without=("*/rope/*", "*/experts/slot_*", "*loss"),
    runs=tuple(Run(version, golden, without=("*/experts/out",) if golden.startswith("m3") else ())
               for version, golden in (("0.32.2", "m3-even-f32"), ("0.32.2", "m3-even-bf16"), ("0.32.2", "m2-even-f32"),
                                       ("0.32.2", "m2-even-bf16"), ("0.30.7", "m2-even-f32"))),
    notes=(
        Note("rms_norm", "1 + weight is computed in bf16; MLX rounds the normalised value to bf16 before the product",
             "mlx_lm/models/minimax_m3_vl.py:28", goldens=("m3-even-bf16",)),
        Note("swiglu", "alpha, 1.702, is rounded to bf16 (1.703125), and MLX's sigmoid rounds intermediate values",
             "mlx_lm/models/activations.py:28", goldens=("m3-even-bf16",)),
    ),
)

if __name__ == "__main__":
    given = captures.arguments(__doc__, ENGINE.options)
    with captures.Capture(given.capture, "mlx-lm") as opened:
        fill(opened, given.checkpoint, given.options)
