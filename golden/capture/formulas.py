# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The formulas of MiniMax-M3's and -M2's text stacks in plain numpy and binary64, for check_golden.py."""

from __future__ import annotations

import json

import numpy as np


def load_weights(path: str, as_bf16: bool) -> dict[str, np.ndarray]:
    """Checkpoint tensors in binary64; `as_bf16`: rounded as a bf16 load does (published gates and biases are f32)."""
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header, data, tensors = json.loads(file.read(size)), file.read(), {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        start, end = entry["data_offsets"]
        if entry["dtype"] == "BF16":
            raw = np.frombuffer(data[start:end], "<u2").astype(np.uint32) << 16
        else:
            raw = np.frombuffer(data[start:end], "<u4")
            raw = round_bf16(raw) if as_bf16 else raw
        tensors[name] = raw.view(np.float32).astype(np.float64).reshape(entry["shape"])
    return tensors


def round_bf16(raw: np.ndarray) -> np.ndarray:
    """x rounded to bf16, nearest even, computed on the bits of binary32."""
    return (raw + np.uint32(0x7FFF) + ((raw >> 16) & 1)) & np.uint32(0xFFFF0000)


def rms(x: np.ndarray) -> float:
    return float(np.sqrt(np.mean(x * x))) if x.size else 0.0


def sparse(config: dict) -> list[int]:
    if "sparse_attention_config" not in config:  # M2
        return [0] * config["num_hidden_layers"]
    return config["sparse_attention_config"]["sparse_attention_freq"]


def linear(x, weight):
    return x @ weight.T


def rms_norm(x, gain, eps):
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps) * gain


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def swiglu(gate_up):
    gate, up = np.split(gate_up, 2, axis=-1)
    gate, up = np.minimum(gate, 7), np.clip(up, -7, 7)
    return (up + 1) * gate * sigmoid(1.702 * gate)


def silu_product(gate_up):
    gate, up = np.split(gate_up, 2, axis=-1)
    return gate * sigmoid(gate) * up


def tables(positions, config):
    """cos and sin from frequencies and products that were rounded to binary32."""
    inner = config.get("rope_parameters", {})  # M2: its flat rotary_dim is read from 5.18.0 on (check_golden.py)
    partial = inner.get("partial_rotary_factor", config.get("partial_rotary_factor", 1.0))
    width, theta = int(config["head_dim"] * partial), np.float32(config["rope_theta"])
    exponents = np.arange(0, width, 2, dtype=np.float32) / np.float32(width)
    angles = positions[..., None].astype(np.float32) * (np.float32(1) / theta**exponents)
    angles = np.concatenate([angles, angles], axis=-1).astype(np.float64)
    return np.cos(angles), np.sin(angles)


def rope(x, cos, sin):
    """(B, S, heads, D) -> (B, heads, S, D); the first dims are rotated in pairs (i, i + R/2)."""
    width, x = cos.shape[-1], x.swapaxes(1, 2)
    head, cos, sin = x[..., :width], cos[:, None], sin[:, None]
    turned = np.concatenate([-head[..., width // 2 :], head[..., : width // 2]], axis=-1)
    return np.concatenate([head * cos + turned * sin, x[..., width:]], axis=-1)


def pool(scores, positions, block, shared):
    """Raw index scores (B, X, S, K) -> maximum over the visible keys of each block, and over the heads if shared."""
    keys = scores.shape[-1]
    scores = np.where(np.arange(keys) > positions[:, None, :, None], -np.inf, scores)
    scores = np.pad(scores, [(0, 0)] * 3 + [(0, -keys % block)], constant_values=-np.inf)
    scores = scores.reshape(*scores.shape[:3], -1, block).max(axis=-1)
    return scores.max(axis=1) if shared else scores


def select(scores, positions, settings):
    """Booleans: whether a block is among the best, local ones included. A block without visible keys never is."""
    forced = scores.copy()
    own = positions // settings["sparse_block_size"]
    own = own if scores.ndim == 3 else np.broadcast_to(own[:, None], scores.shape[:-1])
    for back in range(settings["sparse_local_block"]):
        np.put_along_axis(forced, np.maximum(own - back, 0)[..., None], np.inf, axis=-1)
    order = np.argsort(-forced, axis=-1, kind="stable")[..., : settings["sparse_topk_blocks"]]
    return members(order, scores.shape[-1]) & (forced > -np.inf)


def members(indices, width):
    """Index lists (-1 = nothing) as booleans of the given width."""
    found = np.zeros((*indices.shape[:-1], width + 1), dtype=bool)
    np.put_along_axis(found, np.where(indices < 0, width, indices), True, axis=-1)
    return found[..., :width]


def token_mask(blocks, size, keys, config):
    """Kept blocks -> kept keys (B, heads or 1, S, K)."""
    kept = np.repeat(blocks, size, axis=-1)[..., :keys]
    if kept.ndim == 3:
        return kept[:, None]
    return np.repeat(kept, config["num_attention_heads"] // kept.shape[1], axis=1)


def visible(positions, mask, keep):
    """Causality by slot (positions equal slots), key padding, kept blocks."""
    seen = (np.arange(mask.shape[1]) <= positions[:, None, :, None]) & (mask[:, None, None, :] != 0)
    return seen if keep is None else seen & keep


def attend(q, k, v, seen):
    """Grouped attention (B, S, heads*D). A query that sees no slot gets the mean over all slots."""
    groups = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, groups, axis=1), np.repeat(v, groups, axis=1)
    scores = np.where(seen, q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]), -1e300)
    p = np.exp(scores - scores.max(axis=-1, keepdims=True))
    out = (p / p.sum(axis=-1, keepdims=True)) @ v
    return out.swapaxes(1, 2).reshape(q.shape[0], q.shape[2], -1)


def renormalised(scores, indices):
    picked = np.take_along_axis(scores, indices, axis=-1)
    return picked / picked.sum(axis=-1, keepdims=True)


def slot_activation(x, indices, parts, activation):
    return np.stack([[activation(np.concatenate(parts(e)[:2]) @ row) for e in slots] for row, slots in zip(x, indices)])


def slot_weighted(activation, weights, indices, parts):
    return np.stack([[parts(e)[2] @ a * w for e, a, w in zip(*slot)] for slot in zip(indices, activation, weights)])


def cross_entropy(logits, labels):
    """Cross-entropy, averaged over the tokens whose next label is not -100."""
    logits, labels = logits[:, :-1], labels[:, 1:]
    used = labels != -100
    shifted = logits - logits.max(axis=-1, keepdims=True)
    logp = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return -np.take_along_axis(logp, np.where(used, labels, 0)[..., None], axis=-1)[..., 0][used].mean()


def aux_loss(routers, mask, k):
    """Load balancing over all MoE layers: softmax of the logits, re-selected without the bias, real tokens only."""
    logits, real = np.concatenate(routers), np.tile(mask.reshape(-1) != 0, len(routers))
    p = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p = (p / p.sum(axis=-1, keepdims=True))[real]
    order = np.argsort(-p, axis=-1)[:, :k]
    share = (order[..., None] == np.arange(p.shape[-1])).mean(axis=0)  # per slot and expert
    return p.shape[-1] * (share * p.mean(axis=0)).sum()
