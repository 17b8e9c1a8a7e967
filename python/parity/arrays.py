# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Operands as the arrays of numpy, torch, jax or mlx, and results back. A result is rounded once, to the output's type.

Without copies on the host: numpy, torch, and jax where the memory is aligned as XLA needs it. mlx copies.
"""

from __future__ import annotations

import warnings

import numpy as np

from parity.dtypes import BITS, ML_NAMES, bf16_bits, stored, typed

_TORCH_NAMES = {
    "f64": "float64",
    "f32": "float32",
    "f16": "float16",
    "i64": "int64",
    "i32": "int32",
    "u8": "uint8",
    "bool": "bool",
    "bf16": "bfloat16",
    "e4m3fn": "float8_e4m3fn",
    "e5m2": "float8_e5m2",
}


def given(view: np.ndarray, dtype: str, library: str, device: str = "cpu"):
    """An operand as the library's array. `view` holds its bytes as stored(dtype)."""
    if library == "torch":
        return _torch(view, dtype, device)
    if library == "jax":
        return _jax(view, dtype)
    if library == "mlx":
        return _mlx(view, dtype)
    return view.view(typed(dtype))


def _torch(view: np.ndarray, dtype: str, device: str):
    import torch

    if any(stride < 0 for stride in view.strides):
        view = view.copy()  # torch has no negative strides
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
        tensor = torch.from_numpy(view)
    want = getattr(torch, _TORCH_NAMES[dtype])
    tensor = tensor if tensor.dtype == want else tensor.view(want)
    return tensor if device == "cpu" else tensor.to(device)


class _Shared:
    """An array's memory for a library that never writes: DLPack has no arrays that may only be read."""

    def __init__(self, array: np.ndarray):
        self.__array_interface__ = {**array.__array_interface__, "data": (array.ctypes.data, False)}
        self.array = array


def _jax(view: np.ndarray, dtype: str):
    import jax

    try:
        array = jax.dlpack.from_dlpack(np.asarray(_Shared(view)))  # shares memory that XLA can read where it lies
    except Exception:  # noqa: BLE001  unaligned, strided, or of a type without DLPack: each version differs
        array = jax.numpy.asarray(view)
    if dtype in BITS:
        array = jax.lax.bitcast_convert_type(array, getattr(jax.numpy, ML_NAMES[dtype]))
    return array


def _mlx(view: np.ndarray, dtype: str):
    import mlx.core as mx

    if dtype == "bf16":
        return mx.array(np.ascontiguousarray(view)).view(mx.bfloat16)
    return mx.array(np.ascontiguousarray(view.view(typed(dtype))))


def waiting(library: str, device: str):
    """A function that waits until a result is computed, for libraries that only queue work."""
    if library == "torch" and device != "cpu":
        import torch

        return lambda result: torch.cuda.synchronize(device)
    if library == "jax":
        import jax

        return jax.block_until_ready
    if library == "mlx":
        import mlx.core as mx

        return mx.eval
    return lambda result: None


def taken(value, dtype: str) -> np.ndarray:
    """A result as numpy's array of stored(dtype). Raises TypeError for what is no array, or of complex numbers."""
    module = type(value).__module__.split(".")[0]
    if module == "torch":
        return _from_torch(value, dtype)
    if module == "mlx":
        import mlx.core as mx

        value = (
            value.view(mx.uint16)
            if value.dtype == mx.bfloat16 and dtype == "bf16"
            else (value.astype(mx.float32) if value.dtype == mx.bfloat16 else value)
        )
        array = np.array(value)
        return array if array.dtype == np.uint16 and dtype == "bf16" else narrowed(array, dtype)
    array = np.asarray(value)
    if array.dtype.kind not in "biufV" or array.dtype.hasobject:
        raise TypeError(
            f"the kernel returned {type(value).__name__} of {array.dtype}; it has to return an array of numbers"
        )
    return narrowed(array, dtype)


def _from_torch(tensor, dtype: str) -> np.ndarray:
    import torch

    want = getattr(torch, _TORCH_NAMES[dtype])
    tensor = tensor.detach()
    if tensor.dtype == torch.float64 and dtype == "bf16":
        return bf16_bits(tensor.cpu().numpy())  # torch would round to binary32 first
    if tensor.dtype != want:
        tensor = tensor.to(want)  # rounds once, ties to even
    tensor = tensor.cpu().contiguous()
    if dtype in BITS:
        tensor = tensor.view(torch.int16 if BITS[dtype] is np.uint16 else torch.uint8)
    return tensor.numpy().view(stored(dtype))


def narrowed(array: np.ndarray, dtype: str) -> np.ndarray:
    """Numbers in the type, as stored(dtype)."""
    if array.dtype.name == ML_NAMES.get(dtype):
        return np.ascontiguousarray(array).view(BITS[dtype])
    if dtype == "bf16":
        return bf16_bits(array.astype(np.float64) if array.dtype.kind == "V" else array)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.ascontiguousarray(array).astype(typed(dtype)).view(stored(dtype))
