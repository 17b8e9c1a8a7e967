# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Values of llama.cpp's nodes, in the order of the golden's taps (ggml_taps.py says which nodes these are)."""

from __future__ import annotations

import math

import ggml_taps
import numpy as np

TYPES = {"f32": "<f4", "f16": "<f2", "i32": "<i4"}
UNSEEN = -3.4e38  # ggml's maximum starts at -FLT_MAX: the score of a block without a visible key


def values_of(node: ggml_taps.Node, blob: bytes) -> np.ndarray:
    """The node's values, which `blob` holds."""
    if node.offset < 0 or node.type not in TYPES:
        raise SystemExit(f"{node.name} has values of type {node.type}, which are not read here")
    return np.frombuffer(blob, TYPES[node.type], math.prod(node.shape), node.offset).reshape(node.shape)


def chosen(ids: np.ndarray, scores: np.ndarray, slots: int) -> np.ndarray:
    """Ids of blocks with a visible key, then -1 up to `slots`."""
    ids = np.where(np.take_along_axis(scores, ids, -1) > UNSEEN, ids, -1)
    ids = np.take_along_axis(ids, np.argsort(ids < 0, -1, kind="stable"), -1)
    return np.pad(ids, ((0, 0), (0, 0), (0, 0), (0, slots - ids.shape[-1])), constant_values=-1)


def arranged(part: ggml_taps.Part, values: list[np.ndarray], shape: tuple, tokens: int, scale: float) -> np.ndarray:
    """Values of the nodes of a part as the golden has the tap: `shape` are its extents, `tokens` those of the call. The
    engine's weights of experts contain the `scale`, a power of two."""
    batch, first = shape[0], values[0]
    if part.layout == "scaled":
        return first / np.float32(scale)
    if part.layout == "joined":
        return np.concatenate(values, -1)
    if part.layout == "heads":
        return first.reshape(batch, tokens, shape[1], shape[3]).transpose(0, 2, 1, 3)
    if part.layout == "cache":
        return first.reshape(batch, -1, shape[1], shape[3])[:, : shape[2]].transpose(0, 2, 1, 3)
    if part.layout == "transposed cache":
        return first.reshape(batch, shape[1], shape[3], -1)[..., : shape[2]].transpose(0, 1, 3, 2)
    if part.layout in ("blocks", "chosen"):
        by_head = [value.reshape(-1, tokens, shape[1], value.shape[-1]).transpose(0, 2, 1, 3) for value in values]
        if part.layout == "blocks":
            return np.concatenate(by_head)[..., : shape[3]]  # the cache has room for more blocks
        half = len(by_head) // 2
        return chosen(np.concatenate(by_head[:half]), np.concatenate(by_head[half:]), shape[3])
    if part.layout == "rows":
        return first
    raise ValueError(f"no layout is called {part.layout}")
