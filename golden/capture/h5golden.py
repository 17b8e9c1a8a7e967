# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Writes activations.h5 (golden-format.md, sections 1 to 4). The same tensors always give the same bytes."""

from __future__ import annotations

import json
import re

import h5py
import numpy as np
import torch
from h5py import h5d, h5g, h5p, h5s, h5t

import media
from calls import Step, items_of
from settings import Settings
from taps import describe, wanted

COMPRESS_FROM = 2048  # bytes; smaller datasets are contiguous
LARGE = 4 << 20  # bytes; larger datasets have several chunks
SLOT_BYTES, SCORE_BYTES = 36_000, 80_000  # per-slot expert taps and raw index scores are only kept where small


def bf16_type():
    kind = h5t.IEEE_F16LE.copy()
    kind.set_fields(15, 7, 8, 0, 7)
    kind.set_ebias(127)
    return kind


BF16 = bf16_type()
KINDS = {  # torch type -> attribute dtype, type in the file, how numpy sees the bits
    torch.bfloat16: ("bf16", BF16, "<u2"), torch.float32: ("f32", h5t.IEEE_F32LE, "<f4"),
    torch.float64: ("f64", h5t.IEEE_F64LE, "<f8"), torch.int64: ("i64", h5t.STD_I64LE, "<i8"),
}


def bits(tensor: torch.Tensor) -> np.ndarray:
    if tensor.dtype == torch.bfloat16:
        tensor = tensor.contiguous().view(torch.int16)
    return tensor.contiguous().numpy()


def untimed(plist):
    plist.set_obj_track_times(False)
    return plist


def group(parent, name: str):
    """The group `name` below `parent`, created without time stamps."""
    for part in filter(None, name.split("/")):
        if part not in parent:
            h5g.create(parent.id, part.encode(), gcpl=untimed(h5p.create(h5p.GROUP_CREATE)))
        parent = parent[part]
    return parent


def fixed_string(dataset, name: str, value: str, encoding: str) -> None:
    """A null padded string of exactly its own length."""
    kind = h5t.C_S1.copy()
    kind.set_size(max(1, len(value.encode())))
    kind.set_strpad(h5t.STR_NULLPAD)
    kind.set_cset(h5t.CSET_UTF8 if encoding == "utf-8" else h5t.CSET_ASCII)
    attribute = h5py.h5a.create(dataset, name.encode(), kind, h5s.create(h5s.SCALAR))
    attribute.write(np.array(value.encode(), dtype=f"S{kind.get_size()}"), mtype=kind)


def chunk(values: np.ndarray) -> tuple[int, ...]:
    """All of a tensor, or of a large one a piece of its longest axis, so that a reader need not decode all of it."""
    shape, longest = list(values.shape), int(np.argmax(values.shape))
    if values.nbytes > LARGE:
        shape[longest] = max(1, shape[longest] * LARGE // values.nbytes)
    return tuple(shape)


def write_tap(parent, name: str, tensor: torch.Tensor, attributes: dict[str, str]) -> None:
    kind, file_type, seen_as = KINDS[tensor.dtype]
    values = bits(tensor).view(seen_as)
    plist = untimed(h5p.create(h5p.DATASET_CREATE))
    if values.nbytes > COMPRESS_FROM:
        plist.set_chunk(chunk(values))
        plist.set_shuffle()
        plist.set_deflate(1)
    folder, _, leaf = name.rpartition("/")
    space = h5s.create_simple(values.shape) if values.shape else h5s.create(h5s.SCALAR)
    dataset = h5d.create(group(parent, folder).id, leaf.encode(), file_type, space, plist)
    dataset.write(h5s.ALL, h5s.ALL, values, mtype=file_type)
    for key, value in sorted((attributes | {"dtype": kind}).items()):
        fixed_string(dataset, key, value, "ascii" if key == "component" else "utf-8")


def small_enough(tap: str, tensor: torch.Tensor) -> bool:
    size = tensor.numel() * tensor.element_size()
    return size <= (SLOT_BYTES if "/experts/slot_" in tap else SCORE_BYTES if tap.endswith("indexer/scores") else size)


def write_inputs(parent, step: Step, s: Settings) -> int:
    """Tokens and pixels of a call."""
    for name, tensor in step.tokens.items():
        attributes = describe(f"tokens/{name}", tensor.dim(), False)
        if name == "labels" and tensor.is_floating_point():
            attributes["axes"] = "B,L"[: 2 * tensor.dim() - 1]  # real-valued labels of a sequence
        if name == "attention_mask" and s.static_slots:
            attributes["axes"] = "B,U"  # U: slots in use; K: slots of the buffers
        write_tap(parent, f"tokens/{name}", tensor, attributes)
    pixels = media.taps(step.media)
    for tap, tensor in pixels.items():
        write_tap(parent, tap, tensor, describe(tap, tensor.dim(), False))
    return len(step.tokens) + len(pixels)


def write_step(parent, step: Step, number: int, s: Settings) -> int:
    sparse = {f"text/layers/{i:02d}/" for i in range(s.layers) if s.attn[i]}
    count = write_inputs(parent, step, s)
    for folder, taps, keep in (("", step.taps, s.keep), ("exact/", step.exact, s.exact)):
        for tap, tensor in taps.items():
            if wanted(tap, number, keep, s.drop) and small_enough(tap, tensor):
                attributes = describe(tap, tensor.dim(), tap[:15] in sparse)
                if attributes["component"] == "cache_append" and s.static_slots:
                    attributes["component"] = "cache_write"
                attributes |= {"component": "cache_edit"} if step.edit else {}
                attributes |= {"component": "input", "role": "input"} if step.skipped else {}
                write_tap(parent, folder + tap, tensor, attributes)
                count += 1
    if step.edit:
        parent.attrs["edit"] = step.edit[0]
        if step.edit[0] == "crop":
            parent.attrs["crop"] = step.edit[1][0]
    else:
        link_inputs(parent, step, number, s)
    return count


def link_inputs(parent, step: Step, number: int, s: Settings) -> None:
    """layers/NN/in is a second name of the previous layer's output (or a copy of it where that is not recorded)."""
    stacks = [("text/", "splice/out" if step.media else "text/embed/out", s.layers)]
    stacks += [(f"vision/{kind}/", f"vision/{kind}/pre_norm/out", s.vision_layers)
               for kind, pixels, _ in media.KINDS if pixels in step.media]
    for stack, first, i in [(stack, first, i) for stack, first, layers in stacks for i in range(layers)]:
        tap = f"{stack}layers/{i:02d}/in"
        producer = f"{stack}layers/{i - 1:02d}/out" if i else first
        if not wanted(tap, number, s.keep, s.drop):
            continue
        if producer in parent:
            group(parent, tap[:-3])
            parent[tap] = parent[producer]
        else:
            tensor = step.taps[producer]
            write_tap(parent, tap, tensor, describe(producer, tensor.dim(), False))


def write(path: str, config: dict, root: dict, steps: list[Step], s: Settings, tables: dict) -> None:
    with h5py.File(path, "w", libver=("v110", "v110")) as file:
        file.create_dataset("config", data=json.dumps(config, indent=1), dtype=h5py.string_dtype())
        count = 0
        for number, step in enumerate(steps):
            parent = group(file, f"steps/{number:03d}")
            parent.attrs["kind"] = step.kind
            if items_of(step, s):
                parent.attrs["num_items_in_batch"] = items_of(step, s)
            count += write_step(parent, step, number, s)
        for name, table in tables.items():
            write_tap(file, f"tables/{name}", table, describe(f"tables/{name}", table.dim(), False))
            count += 1
        for key, value in sorted((root | {"taps": count}).items()):
            file.attrs[key] = value


def not_finite(steps: list[Step]) -> list[str]:
    """Names of taps with NaN, or with infinities other than the -inf of invisible blocks."""
    bad = []
    for number, step in enumerate(steps):
        for tap, tensor in {**step.taps, **{"exact/" + k: v for k, v in step.exact.items()}}.items():
            allowed = torch.isneginf(tensor) if re.search("block_scores$", tap) else torch.zeros(())
            if tensor.is_floating_point() and not (torch.isfinite(tensor) | allowed.bool()).all():
                bad.append(f"{number:03d}/{tap}")
    return bad
