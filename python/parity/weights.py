# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Published tensors of a checkpoint, by name, as numpy arrays of the file's memory."""

from __future__ import annotations

import collections.abc
import json
import pathlib

import numpy as np

from parity import dtypes
from parity.signatures import nearest

_TYPES = {
    "F64": "f64",
    "F32": "f32",
    "F16": "f16",
    "BF16": "bf16",
    "F8_E4M3": "e4m3fn",
    "F8_E5M2": "e5m2",
    "I64": "i64",
    "I32": "i32",
    "U8": "u8",
    "BOOL": "bool",
}


class Weights(collections.abc.Mapping):
    """The tensors of every *.safetensors of a folder, or of one such file.

    bf16 comes as binary32, which holds it exactly; codes of fp8 come as u8. stored(name) has the bytes and their type.
    """

    def __init__(self, place: pathlib.Path):
        self._entries = {}
        for path in [place] if place.is_file() else sorted(place.glob("*.safetensors")):
            with open(path, "rb") as file:
                start = 8 + int.from_bytes(file.read(8), "little")
                header = json.loads(file.read(start - 8))
            header.pop("__metadata__", None)
            self._entries.update({name: (path, start, info) for name, info in header.items()})

    def stored(self, name: str) -> tuple[np.ndarray, str]:
        """The tensor as it lies in the file (dtypes.stored), and its type."""
        if name not in self._entries:
            raise KeyError(f"no tensor {name!r} is published{nearest(name, self._entries)}")
        path, start, info = self._entries[name]
        dtype = _TYPES.get(info["dtype"], "u8")
        first, shape = start + info["data_offsets"][0], tuple(info["shape"])
        return np.memmap(path, dtypes.stored(dtype), "r", first, shape) if 0 not in shape else np.empty(
            shape, dtypes.stored(dtype)
        ), dtype

    def __getitem__(self, name: str) -> np.ndarray:
        values, dtype = self.stored(name)
        return dtypes.bf16_values(values) if dtype == "bf16" else np.asarray(values)

    def __iter__(self):
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)
