# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What a golden recorded, as torch tensors: operands of single kernels, which `parity run --inputs golden` judges."""

from __future__ import annotations

import json
import pathlib

import h5py
import torch
from safetensors.torch import load_file

TYPES = {"bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64, "i64": torch.int64, "i32": torch.int32}


class Golden:
    """get(tap) in the recorded type; weight(published name); config of the text model."""

    def __init__(self, checkpoint: pathlib.Path):
        self.file = h5py.File(checkpoint.parent / "activations.h5")
        self.weights = load_file(checkpoint / "model.safetensors")
        whole = json.loads((checkpoint / "config.json").read_text(encoding="utf-8"))
        self.config = whole.get("text_config", whole)
        self.prefix = "language_model.model." if "text_config" in whole else "model."
        self.dtype = TYPES[self._text(self.file.attrs["dtype"])]

    @staticmethod
    def _text(value) -> str:
        return value.decode() if isinstance(value, bytes) else str(value)

    def __contains__(self, tap: str) -> bool:
        return tap in self.file

    def get(self, tap: str) -> torch.Tensor:
        dataset = self.file[tap]
        kind = TYPES[self._text(dataset.attrs["dtype"])]
        values = dataset.astype("f4")[()] if kind == torch.bfloat16 else dataset[()]
        return torch.from_numpy(values).to(kind)

    def weight(self, name: str) -> torch.Tensor:
        return self.weights[self.prefix + name].to(self.dtype)

    def calls(self) -> list[tuple[str, str]]:
        """(prefix of the call, its kind), without edits of a cache."""
        steps = sorted(self.file["steps"].items())
        found = [(f"steps/{name}/", self._text(group.attrs["kind"])) for name, group in steps]
        return [(prefix, kind) for prefix, kind in found if kind != "cache"]
