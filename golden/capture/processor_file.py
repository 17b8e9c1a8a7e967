# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a recording of the processors: plain arrays and texts, without time stamps. The same values give the same bytes."""

from __future__ import annotations

import pathlib

import h5py
import numpy as np
from h5py import h5d, h5p, h5s, h5t

from h5golden import fixed_string, group, untimed

TYPES = {np.dtype("u1"): ("u8", h5t.STD_U8LE), np.dtype("i8"): ("i64", h5t.STD_I64LE),
         np.dtype("f4"): ("f32", h5t.IEEE_F32LE), np.dtype("f8"): ("f64", h5t.IEEE_F64LE)}
COMPRESS_FROM = 512


class File:
    def __init__(self, path: pathlib.Path):
        self.file, self.taps = h5py.File(path, "w", libver=("v110", "v110")), 0

    def write(self, name: str, values, axes: str, role: str, component: str, kind: str = "", **attributes) -> None:
        values = np.ascontiguousarray(values)
        dtype, stored = TYPES[values.dtype]
        plist = untimed(h5p.create(h5p.DATASET_CREATE))
        if values.nbytes > COMPRESS_FROM:
            plist.set_chunk(values.shape)
            plist.set_deflate(9)  # no shuffle filter: whole pixels repeat, so shuffled bytes compress worse
        folder, _, leaf = name.rpartition("/")
        space = h5s.create_simple(values.shape) if axes else h5s.create(h5s.SCALAR)
        dataset = h5d.create(group(self.file, folder).id, leaf.encode(), stored, space, plist)
        dataset.write(h5s.ALL, h5s.ALL, values, mtype=stored)
        self.describe(dataset, axes, kind or dtype, role, component, attributes)

    def text(self, name: str, value, axes: str, role: str) -> None:
        dataset = self.file.create_dataset(name, data=value, dtype=h5py.string_dtype(), track_times=False)
        self.describe(dataset.id, axes, "str", role, "prompt_expansion", {})

    def describe(self, dataset, axes, dtype, role, component, attributes) -> None:
        facts = {"axes": axes, "dtype": dtype, "role": role, "component": component}
        for key, value in sorted((facts | attributes).items()):
            fixed_string(dataset, key, str(value), "utf-8")
        self.taps += 1
