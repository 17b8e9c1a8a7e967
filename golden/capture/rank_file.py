# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the recordings of several ranks into one capture (docs/ranks.md)."""

from __future__ import annotations

import json
import re

import h5py
import torch

import h5golden
from calls import Step
from settings import Settings
from taps import describe, wanted

SUFFIX = re.compile(r"_(part|partial|local|share_AD)$")


def write(file: h5py.File, config: dict, root: dict, ranks: list[list[Step]], s: Settings) -> None:
    """`ranks`: the calls that each rank recorded. A tap that has rank 0's bits is a second name of rank 0's."""
    file.create_dataset("config", data=json.dumps(config, indent=1), dtype=h5py.string_dtype())
    count = 0
    for number, step in enumerate(ranks[0]):
        parent = h5golden.group(file, f"steps/{number:03d}")
        parent.attrs["kind"] = step.kind
        count += h5golden.write_inputs(parent, step, s)
        for rank, steps in enumerate(ranks):
            own = h5golden.group(file, f"ranks/{rank:02d}/steps/{number:03d}")
            count += write_rank(own, steps[number], number, s, file[f"ranks/00/steps/{number:03d}"], step)
            h5golden.link_inputs(own, steps[number], number, s)
    for key, value in sorted((root | {"taps": count}).items()):
        file.attrs[key] = value


def write_rank(parent, step: Step, number: int, s: Settings, first, first_step: Step) -> int:
    sparse = {f"text/layers/{i:02d}/" for i in range(s.layers) if s.attn[i]}
    count = 0
    for tap, tensor in step.taps.items():
        if not wanted(tap, number, s.keep, s.drop) or not h5golden.small_enough(tap, tensor):
            continue
        count += 1
        if parent != first and same_bits(tensor, first_step.taps.get(tap)):
            folder, _, leaf = tap.rpartition("/")
            h5golden.group(parent, folder)[leaf] = first[tap]
        else:
            h5golden.write_tap(parent, tap, tensor, attributes(tap, tensor, tap[:15] in sparse))
    return count


def same_bits(a: torch.Tensor, b: torch.Tensor | None) -> bool:
    return b is not None and a.shape == b.shape and a.dtype == b.dtype and \
        h5golden.bits(a).tobytes() == h5golden.bits(b).tobytes()


def attributes(tap: str, tensor: torch.Tensor, sparse: bool) -> dict[str, str]:
    """As of the whole tap; channels that are cut across heads have the letter Z."""
    found = describe(SUFFIX.sub("", tap), tensor.dim(), sparse)
    if tap.endswith(("_part", "_share_AD")):
        found["axes"] = re.sub(r"\b[AG]D\b", "Z", found["axes"])
    return found
