# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the tensors of an engine's dumps."""

from __future__ import annotations

import pathlib

import numpy as np

from parity import dtypes
from parity.weights import Weights

KINDS = (".npz", ".npy", ".safetensors", ".pt", ".pth", ".bin", ".gguf")


def tensors_of(path: pathlib.Path):
    """Names and tensors of a dump; a tensor is read when it is used. Raises ValueError for a file of another kind."""
    kind = path.suffix
    if kind == ".npy":
        yield path.stem, lambda: np.load(path, allow_pickle=False)
    elif kind == ".npz":
        with np.load(path, allow_pickle=False) as file:
            for name in file.files:
                yield name, lambda name=name: file[name]
    elif kind == ".safetensors":
        weights = Weights(path)
        for name in weights:
            yield name, lambda name=name: _of_bits(*weights.stored(name))
    elif kind in (".pt", ".pth", ".bin"):
        import torch

        yield from _flat("", torch.load(path, map_location="cpu", weights_only=True))
    elif kind == ".gguf":
        yield from _gguf(path)
    else:
        raise ValueError(f"{path}: unknown kind of file; use one of {', '.join(KINDS)}")


def _of_bits(values: np.ndarray, dtype: str):
    """bf16 as its own type, so that the capture has the engine's bits."""
    return dtypes.Bits(np.asarray(values), dtype) if dtype in dtypes.BITS else values


def _flat(prefix: str, value):
    """Tensors in dicts, lists and tuples, by their path joined with dots."""
    if hasattr(value, "detach"):
        yield prefix, lambda: value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _flat(f"{prefix}.{key}" if prefix else str(key), item)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from _flat(f"{prefix}.{index}" if prefix else str(index), item)


def _gguf(path: pathlib.Path):
    import gguf

    for tensor in gguf.GGUFReader(path).tensors:

        def read(tensor=tensor):
            if tensor.tensor_type == gguf.GGMLQuantizationType.BF16:
                return _of_bits(np.asarray(tensor.data).view(np.uint16).reshape(tensor.shape[::-1]), "bf16")
            return gguf.dequantize(tensor.data, tensor.tensor_type).reshape(tensor.shape[::-1])

        yield tensor.name, read
