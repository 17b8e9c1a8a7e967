#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Recomputes the taps of goldens in numpy and binary64, each from the recorded taps before it.

    check_golden.py DIR [DIR ...]        needs numpy and h5py, but neither torch nor transformers

Written from the formulas, not from the package, so that it can disagree with capture_hf.py. Relative RMS errors are
printed per component, in units of the working type's rounding (rotary tables: at least binary32's); what is not
recorded is skipped."""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict

import h5py
import numpy as np

import formulas as f

UNIT = {"bf16": 2.0**-8, "f32": 2.0**-23, "f64": 2.0**-52}
LIMIT = 4.0  # units; attention has the longest chain of roundings and stays below 3


def release(profile: str) -> tuple[int, ...]:
    return tuple(int(part) for part in profile.split("-")[1].split(".")[:2])


class Golden:
    """One golden: recorded taps as binary64 arrays, parameters as the implementation holds them."""

    def __init__(self, folder: str):
        self.file = h5py.File(os.path.join(folder, "activations.h5"))
        self.dtype = self.file.attrs["dtype"]
        published = json.loads(self.file["config"][()])
        self.m2 = self.file.attrs["system"] == "minimax_m2"
        self.config = published.get("text_config", published)
        if self.m2 and release(self.file.attrs["profile"]) >= (5, 18) and "rotary_dim" in self.config:
            self.config.setdefault("partial_rotary_factor", self.config["rotary_dim"] / self.config["head_dim"])
        self.weights = f.load_weights(os.path.join(folder, "checkpoint", "model.safetensors"), self.dtype == "bf16")
        self.steps = [self.file["steps"][name] for name in sorted(self.file["steps"])]
        self.shared = self.file.attrs["profile"].startswith("hf-5.12")
        self.errors = defaultdict(list)

    def weight(self, name: str) -> np.ndarray:
        return self.weights[("" if self.m2 else "language_model.") + name]

    def gain(self, name: str) -> np.ndarray:
        """The gain of a norm, which M3 stores zero-centred."""
        return self.weight(name) + (not self.m2)

    def tap(self, step: int, name: str):
        value = self.steps[step].get(name)
        return None if value is None else value[...].astype(np.float64 if value.dtype.kind == "f" else value.dtype)

    def history(self, step: int, tap: str, cache: str):
        """Keys or values of all calls up to `step`: the concatenated taps, or a slice of the last cache."""
        parts = [self.tap(i, tap) for i in range(step + 1)]
        if all(part is not None for part in parts):
            return np.concatenate(parts, axis=2)
        last = self.tap(len(self.steps) - 1, cache)
        return None if last is None else last[:, :, : self.steps[step]["tokens/attention_mask"].shape[1]]

    def judge(self, component: str, got, function, *inputs) -> None:
        """Compares a tap with function(*inputs), unless one of them is not recorded."""
        if got is None or any(value is None for value in inputs):
            return
        expected = np.asarray(function(*inputs), dtype=np.float64).reshape(got.shape)
        same_infinities = np.isneginf(got) == np.isneginf(expected)
        finite = np.isfinite(got) & np.isfinite(expected)
        error = f.rms(got[finite] - expected[finite]) / max(f.rms(expected[finite]), 1e-300)
        unit = UNIT["f32"] if component == "rotary_tables" and self.dtype == "f64" else UNIT[self.dtype]
        self.errors[component].append(error / unit if same_infinities.all() else np.inf)


def check_layer(g: Golden, n: int, i: int) -> None:
    c, p, w = g.config, f"text/layers/{i:02d}/", f"model.layers.{i}."
    t = lambda name: g.tap(n, p + name)
    norm = lambda name: (lambda x: f.rms_norm(x, g.gain(w + name), c["rms_norm_eps"]))
    first = "splice/out" if "splice/out" in g.steps[n] else "text/embed/out"
    before = g.tap(n, f"text/layers/{i - 1:02d}/out" if i else first)
    g.judge("alias", t("in"), lambda x: x, before)
    g.judge("rms_norm", t("input_norm/out"), norm("input_layernorm.weight"), before)
    check_attention(g, n, p + "attention/", w + "self_attn.", t("input_norm/out"), bool(f.sparse(c)[i]))
    g.judge("residual_add", t("attention_residual/out"), np.add, before, t("attention/o_proj/out"))
    normed = t("post_attention_norm/out")
    g.judge("rms_norm", normed, norm("post_attention_layernorm.weight"), t("attention_residual/out"))
    if g.m2 or c["moe_layer_freq"][i]:
        check_moe(g, n, p + "moe/", w + "block_sparse_moe.", normed)
    else:
        check_mlp(g, n, p + "mlp/", w + "mlp.", normed)
    down = t("moe/out") if g.m2 or c["moe_layer_freq"][i] else t("mlp/down/out")
    g.judge("residual_add", t("out"), np.add, t("attention_residual/out"), down)


def check_attention(g: Golden, n: int, p: str, w: str, x, sparse: bool) -> None:
    c, eps = g.config, g.config["rms_norm_eps"]
    cos, sin, mask = g.tap(n, "text/rope/cos"), g.tap(n, "text/rope/sin"), g.steps[n]["tokens/attention_mask"][...]
    positions = g.steps[n]["tokens/position_ids"][...]
    for prefix, names in ((p, "qk"), (p + "indexer/", "qk" if sparse else "")):
        weights = w + ("index_" if prefix != p else "")
        for name in names:
            proj, normed = (g.tap(n, f"{prefix}{name}_{kind}/out") for kind in ("proj", "norm"))
            g.judge("linear", proj, f.linear, x, g.weight(f"{weights}{name}_proj.weight"))
            norm = lambda v: f.rms_norm(v.reshape(normed.shape), g.gain(f"{weights}{name}_norm.weight"), eps)
            g.judge("rms_norm", normed, norm, proj)
            heads = None if normed is None else normed.reshape(*normed.shape[:2], -1, width(c, prefix))
            g.judge("partial_rope", g.tap(n, f"{prefix}{name}_rope/out"), f.rope, heads, cos, sin)
    values = g.tap(n, p + "v_proj/out")
    g.judge("linear", values, f.linear, x, g.weight(w + "v_proj.weight"))
    keep = None
    if sparse:
        keep = check_indexer(g, n, p + "indexer/", positions)
        keep = f.token_mask(keep, c["sparse_attention_config"]["sparse_block_size"], mask.shape[1], c)
    keys = g.history(n, p + "k_rope/out", p.replace("attention", "cache") + "k")
    past = [g.tap(i, p + "v_proj/out") for i in range(n + 1)]
    if keys is None or any(value is None for value in past):
        return
    past = np.concatenate([v.reshape(*v.shape[:2], -1, c["head_dim"]).swapaxes(1, 2) for v in past], axis=2)
    core = lambda q: f.attend(q, keys, past, f.visible(positions, mask, keep))
    g.judge("attention", g.tap(n, p + "core/out"), core, g.tap(n, p + "q_rope/out"))
    g.judge("linear", g.tap(n, p + "o_proj/out"), f.linear, g.tap(n, p + "core/out"), g.weight(w + "o_proj.weight"))


def width(config: dict, prefix: str) -> int:
    return config["sparse_attention_config"]["sparse_index_dim"] if "indexer" in prefix else config["head_dim"]


def check_indexer(g: Golden, n: int, p: str, positions) -> np.ndarray:
    s, indices = g.config["sparse_attention_config"], g.tap(n, p + "block_indices")
    cache = p.replace("attention/indexer/", "cache/") + "index_k"
    queries, keys = g.tap(n, p + "q_rope/out"), g.history(n, p + "k_rope/out", cache)
    if keys is not None and queries is not None:
        raw = queries @ keys.swapaxes(-1, -2)
        g.judge("index_scores", g.tap(n, p + "scores"), lambda: raw)
        pooled = f.pool(raw, positions, s["sparse_block_size"], g.shared)
        g.judge("index_block_scores", g.tap(n, p + "block_scores"), lambda: pooled)
    blocks = -(-g.steps[n]["tokens/attention_mask"].shape[1] // s["sparse_block_size"])
    expected = lambda scores: f.select(scores, positions, s)
    g.judge("index_select", f.members(indices, blocks).astype(float), expected, g.tap(n, p + "block_scores"))
    return f.members(indices, blocks)


def check_mlp(g: Golden, n: int, p: str, w: str, x) -> None:
    gate_up, act = g.tap(n, p + "gate_up/out"), g.tap(n, p + "activation/out")
    weight = np.concatenate([g.weight(w + "gate_proj.weight"), g.weight(w + "up_proj.weight")])
    g.judge("linear", gate_up, f.linear, x, weight)
    g.judge("swiglu", act, f.swiglu, gate_up)
    g.judge("linear", g.tap(n, p + "down/out"), f.linear, act, g.weight(w + "down_proj.weight"))


def check_moe(g: Golden, n: int, p: str, w: str, x) -> None:
    x = None if x is None else x.reshape(-1, x.shape[-1])
    if not g.m2:
        check_mlp(g, n, p + "shared/", w + "shared_experts.", x)
    t = lambda name: g.tap(n, p + name)
    indices, k = t("router/indices"), g.config["num_experts_per_tok"]
    g.judge("linear", t("router/logits"), f.linear, x, g.weight(w + "gate.weight"))
    g.judge("router", t("router/scores"), f.sigmoid, t("router/logits"))
    g.judge("router", t("router/choice"), np.add, t("router/scores"), g.weight(w + "e_score_correction_bias"))
    chosen = lambda choice: f.members(np.argsort(-choice, axis=-1)[:, :k], choice.shape[-1])
    g.judge("router", f.members(indices, g.config["num_local_experts"]).astype(float), chosen, t("router/choice"))
    g.judge("router", t("router/weights"), lambda s: f.renormalised(s, indices), t("router/scores"))
    activation = f.silu_product if g.m2 else f.swiglu
    parts = lambda e: [g.weight(f"{w}experts.{e}.{name}.weight") for name in ("w1", "w3", "w2")]
    g.judge("moe_experts", t("experts/slot_activation"), lambda v: f.slot_activation(v, indices, parts, activation), x)
    weighted = lambda act, weights: f.slot_weighted(act, weights, indices, parts)
    g.judge("moe_experts", t("experts/slot_weighted"), weighted, t("experts/slot_activation"), t("router/weights"))
    g.judge("moe_experts", t("experts/out"), lambda z: z.sum(axis=1), t("experts/slot_weighted"))
    if g.m2:
        return g.judge("moe_combine", t("out"), lambda routed: routed, t("experts/out"))
    combine = lambda routed, shared: routed * g.config["routed_scaling_factor"] + shared
    g.judge("moe_combine", t("out"), combine, t("experts/out"), t("shared/down/out"))


def check(folder: str) -> bool:
    g = Golden(folder)
    c = g.config
    for n, step in enumerate(g.steps):
        g.judge("token_embedding", g.tap(n, "text/embed/out"),
                lambda: g.weight("model.embed_tokens.weight")[step["tokens/input_ids"][...]])
        g.judge("rotary_tables", g.tap(n, "text/rope/cos"), lambda: f.tables(step["tokens/position_ids"][...], c)[0])
        g.judge("rotary_tables", g.tap(n, "text/rope/sin"), lambda: f.tables(step["tokens/position_ids"][...], c)[1])
        for i in range(c["num_hidden_layers"]):
            check_layer(g, n, i)
        last = g.tap(n, f"text/layers/{c['num_hidden_layers'] - 1:02d}/out")
        norm = lambda x: f.rms_norm(x, g.gain("model.norm.weight"), c["rms_norm_eps"])
        g.judge("rms_norm", g.tap(n, "text/final_norm/out"), norm, last)
        final = g.tap(n, "text/final_norm/out")
        g.judge("linear", g.tap(n, "text/lm_head/out"), f.linear, final, g.weight("lm_head.weight"))
    check_losses(g)
    worst = max(max(values) for values in g.errors.values())
    print(f"{folder}: {sum(map(len, g.errors.values()))} taps recomputed, worst relative RMS error {worst:.2f} units "
          "(bf16: 2^-8, f32: 2^-23, f64: 2^-52)")
    print("  " + " · ".join(f"{name} {len(values)}x {max(values):.2f}" for name, values in sorted(g.errors.items())))
    return worst <= LIMIT


def check_losses(g: Golden) -> None:
    logits, labels = g.tap(0, "text/lm_head/out"), g.steps[0]["tokens/labels"][...]
    mask, aux = g.steps[0]["tokens/attention_mask"][...], g.tap(0, "aux_loss")
    moe = [i for i, on in enumerate(g.config.get("moe_layer_freq", [1] * g.config["num_hidden_layers"])) if on]
    routers = [g.tap(0, f"text/layers/{i:02d}/moe/router/logits") for i in moe]
    g.judge("router_aux_loss", aux, lambda *r: f.aux_loss(r, mask, g.config["num_experts_per_tok"]), *routers)
    extra = 0.0 if aux is None else g.config["router_aux_loss_coef"] * aux
    g.judge("cross_entropy", g.tap(0, "loss"), lambda x: f.cross_entropy(x, labels) + extra, logits)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(0 if all([check(folder) for folder in sys.argv[1:]]) else 1)
