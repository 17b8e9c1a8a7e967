#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Fills a capture that `parity capture init` wrote: two taps of MiniMax-M3 (f32), computed with numpy instead of an engine.

usage: parity capture init golden/data/m3-text-f32 mine.h5 --only '*/text/embed/out' --only '*/layers/00/input_norm/out'
       examples/capture_h5py.py golden/data/m3-text-f32/checkpoint mine.h5
       parity run golden/data/m3-text-f32 --candidate capture:mine.h5

`fill` is all that an adapter of your own needs (docs/captures.md). Needs h5py and numpy.
"""
import json
import pathlib
import sys

import h5py
import numpy as np


def fill(file: h5py.File, tap: str, values: np.ndarray) -> None:
    """Writes one tap. HDF5 converts to the type of the dataset (binary32 to bf16: nearest, ties to even)."""
    dataset = file[tap]
    dataset[...] = np.asarray(values).reshape(dataset.shape)
    dataset.attrs["computed"] = "yes"  # last: a script that dies before it leaves the tap unfilled


def tensors(path: pathlib.Path) -> dict[str, np.ndarray]:
    """The binary32 tensors of a safetensors file."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    return {name: np.frombuffer(data[start:], np.float32, (info["data_offsets"][1] - info["data_offsets"][0]) // 4,
                                info["data_offsets"][0]).reshape(info["shape"])
            for name, info in header.items() if info["dtype"] == "F32"}


def norm(x: np.ndarray, weight: np.ndarray, eps: float) -> np.ndarray:
    """Root mean square norm with a gain of 1 + weight."""
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + np.float32(eps)) * (1 + weight)


def main(checkpoint: str, capture: str) -> int:
    folder = pathlib.Path(checkpoint)
    weights = tensors(folder / "model.safetensors")
    eps = json.loads((folder / "config.json").read_text())["text_config"]["rms_norm_eps"]
    prefix = "language_model.model."
    with h5py.File(capture, "r+") as file:
        file.attrs["attention"] = "other"  # your engine's: eager, sdpa, flash_attention_2, … or other
        for call in file["steps"]:
            if "tokens/input_ids" not in file[f"steps/{call}"]:
                continue
            hidden = weights[prefix + "embed_tokens.weight"][file[f"steps/{call}/tokens/input_ids"][...]]
            fill(file, f"steps/{call}/text/embed/out", hidden)
            fill(file, f"steps/{call}/text/layers/00/input_norm/out",
                 norm(hidden, weights[prefix + "layers.0.input_layernorm.weight"], eps))
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    sys.exit(main(*sys.argv[1:]))
