# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Functions as kernels: how operands of a call become their arguments, and what they return becomes outputs."""
import dataclasses
import importlib.util
import inspect
import typing

# Types of the protocol that numpy has, and the integers that hold the bits of the others.
NUMPY = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "i64": "<i8", "i32": "<i4", "u8": "u1", "bool": "?"}
BITS = {"bf16": "<u2", "e4m3fn": "u1", "e5m2": "u1"}
NAMES = {"bf16": "bfloat16", "e4m3fn": "float8_e4m3fn", "e5m2": "float8_e5m2"}


class Refused(Exception):
    """Raised by a kernel for a call that it is not made for: the case is left out and counted."""


@dataclasses.dataclass
class Kernel:
    """A function, the component that it computes, and its working types.

    arrays: "numpy" or "torch", what it is called with. parameters: the names that it takes, None for those of its
    signature. raw: it is called with (operands, params, outputs): lists of (bits, type) by name, parameters by name,
    and (bits, type) by name, which it writes; bits are numpy's arrays of the type's width."""

    function: typing.Callable
    component: str = ""
    types: typing.Sequence = ()
    arrays: str = ""
    parameters: typing.Optional[typing.Sequence] = None
    raw: bool = False
    takes_all: bool = False

    def __post_init__(self):
        of = self.function
        self.component = self.component or getattr(of, "parity_component", "") or getattr(of, "__name__", "")
        self.arrays = self.arrays or getattr(of, "parity_arrays", "numpy")
        self.types = self.types or getattr(of, "parity_types", ()) or self.all_types()
        if self.parameters is None and not self.raw:
            parameters = inspect.signature(of).parameters.values()
            self.parameters = [p.name for p in parameters]
            self.takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters)

    def all_types(self):
        """numpy has no bfloat16 of its own."""
        has_bf16 = self.arrays == "torch" or importlib.util.find_spec("ml_dtypes") is not None
        return ("f32", "f16", "bf16") if has_bf16 else ("f32", "f16")

    def call(self, operands: dict, params: dict, outputs: dict) -> None:
        """Calls the function with operands as for `raw`."""
        if self.raw:
            self.function(operands, params, outputs)
            return
        given = {name: [array_of(*one, self.arrays) for one in list_] for name, list_ in operands.items()}
        targets = {name: array_of(*one, self.arrays) for name, one in outputs.items()}
        named = {name: array for name, array in targets.items() if name in self.parameters}
        words = {**params, **{name: one[0] if len(one) == 1 else one for name, one in given.items()}, **named}
        if not self.takes_all:
            words = {name: value for name, value in words.items() if name in self.parameters}
        result = self.function(**words)
        left = {name: array for name, array in targets.items() if name not in named}
        if left:
            store_all(result, left)


def array_of(bits, dtype: str, arrays: str):
    """A view of the bits as numpy or PyTorch has the type."""
    if arrays == "torch":
        import torch

        if dtype not in NAMES:
            return torch.from_numpy(bits)
        return torch.from_numpy(bits.view("i" + str(bits.itemsize))).view(getattr(torch, NAMES[dtype]))
    if dtype not in NAMES:
        return bits
    import ml_dtypes

    return bits.view(getattr(ml_dtypes, NAMES[dtype]))


def store(result, target, name: str) -> None:
    """Writes what a function returned to the output, rounded once."""
    shape = tuple(getattr(result, "shape", ()))
    if shape != tuple(target.shape):
        raise ValueError(f"output '{name}' has the shape {tuple(target.shape)}, the function returned {shape}")
    if hasattr(target, "copy_"):
        target.copy_(result)
    else:
        target[...] = result.detach().cpu().float().numpy() if hasattr(result, "detach") else result


def store_all(result, outputs: dict) -> None:
    if result is None:
        raise ValueError(f"the function returned None; it has to return {', '.join(outputs)}")
    if not isinstance(result, dict):
        results = result if isinstance(result, (tuple, list)) else [result]
        if len(results) != len(outputs):
            raise ValueError(f"the function returned {len(results)} arrays; it has to return {', '.join(outputs)}")
        result = dict(zip(outputs, results))
    for name, target in outputs.items():
        if name not in result:
            raise ValueError(f"the function returned no '{name}', only {', '.join(result)}")
        store(result[name], target, name)
