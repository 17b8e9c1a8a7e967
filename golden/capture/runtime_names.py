#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Finds out under which name, in which rows of which expert, the package holds every published tensor.

    runtime_names.py OUT_FOLDER PRESET...        needs the checkpoints of golden/data/ and the preset's transformers

By value, not by name: each published tensor is looked for in the loaded model's state_dict, whole, as a share of the
rows, or inside an expert. One file per class: {"names": {published: [runtime, expert or -1, part, parts]}}."""

from __future__ import annotations

import json
import os
import sys

import torch
from safetensors.torch import load_file

import models
from presets import PRESETS

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
PARTS = 2  # gate and up


def places(state: dict[str, torch.Tensor]) -> dict[tuple, list]:
    """Maps shape and bits of every part that could be a published tensor to the place where it is stored."""
    found = {}
    for name, tensor in state.items():
        members = list(enumerate(tensor)) if ".experts." in name and tensor.dim() == 3 else [(-1, tensor)]
        for member, value in members:
            pieces = [(0, 1, value)]
            if value.dim() == 2 and len(value) % PARTS == 0:
                pieces += [(part, PARTS, piece) for part, piece in enumerate(value.chunk(PARTS))]
            for part, parts, piece in pieces:
                found.setdefault(key(piece), []).append([name, member, part, parts])
    return found


def key(tensor: torch.Tensor) -> tuple:
    return tuple(tensor.shape), tensor.float().contiguous().numpy().tobytes()


def names(preset: str) -> dict:
    s = PRESETS[preset]
    version = models.require_oracle(s).__version__
    folder = os.path.join(DATA, preset, "checkpoint")
    published = load_file(os.path.join(folder, "model.safetensors"))
    model, _, _ = models.load(s, folder, published)
    state = model.state_dict()
    known, result = places(state), {}
    for name, tensor in sorted(published.items()):
        matches = known.get(key(tensor.to(state[next(iter(state))].dtype)), [])
        if len(matches) != 1:
            sys.exit(f"runtime_names.py: {preset}: {name} is found {len(matches)} times in the model")
        result[name] = matches[0]
    unmatched = set(state) - {place[0] for place in result.values()}
    if unmatched:
        sys.exit(f"runtime_names.py: {preset}: no published tensor has the values of {sorted(unmatched)}")
    return {"oracle": f"transformers {version}", "class": type(model).__name__, "golden": preset, "names": result}


def write(folder: str, preset: str) -> None:
    report = names(preset)
    rows = [f"  {json.dumps(name)}: {json.dumps(place)}" for name, place in report.pop("names").items()]
    head = json.dumps(report)[1:-1]
    with open(os.path.join(folder, preset + ".json"), "w", encoding="utf-8") as file:
        file.write("{" + head + ', "names": {\n' + ",\n".join(rows) + "\n}}\n")
    print(f"{preset}: {len(rows)} tensors")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    for argument in sys.argv[2:]:
        write(sys.argv[1], argument)
