# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A Python function as a kernel: its signature is checked against the component's when it is declared."""

from __future__ import annotations

import functools
import importlib.util
import inspect

from parity.signatures import Signature, nearest, signature

LIBRARIES = ("numpy", "torch", "jax", "mlx")
TYPES = ("f32", "bf16", "f16")


class SignatureError(TypeError):
    """A function cannot be a kernel of the component: which name does not fit, and what the component has."""


class Kernel:
    """A function that computes a component. It is called as the function is.

    component: its name. arrays: the library whose arrays the function gets. types: working types that it computes.
    fixed: parameters that have one value in this kernel; cases with another value are skipped and counted. strided:
    it gets operands in the judge's layouts; else they are contiguous.
    """

    def __init__(self, function, component: str, *, arrays: str, types, fixed: dict, device: str, strided: bool):
        self.function, self.signature, self.arrays = function, signature(component), arrays
        self.types, self.fixed, self.device, self.strided = tuple(types), fixed, device, strided
        self.operands, self.params = _taken(function, self.signature, fixed)
        functools.update_wrapper(self, function)

    @property
    def component(self) -> str:
        return self.signature.name

    def parity_worker_kernel(self):
        """The kernel as parity.worker serves it when the program loads the file (--kernel python:FILE::NAME)."""
        from parity.serving import served

        return served(self)

    def only(self, *types: str) -> Kernel:
        """The same kernel of these working types alone."""
        options = {"arrays": self.arrays, "fixed": self.fixed, "device": self.device, "strided": self.strided}
        return Kernel(self.function, self.component, types=types, **options)

    def __call__(self, *operands, **params):
        return self.function(*operands, **params)

    def __repr__(self) -> str:
        return f"<kernel {self.__name__} of {self.component}, {self.arrays} arrays>"


def kernel(component: str, *, arrays=None, types=None, fixed=None, device: str = "cpu", strided: bool = False):
    """Declares that a function computes a component: `parity show COMPONENT` prints operands and parameters.

    The function takes operands and parameters by their names, and returns the output; several as a tuple in their order
    or as a dict. It may leave out optional operands: cases that have them are skipped. It may leave out parameters that
    do not change what it computes (tiles, orders of sums); one whose value is built in belongs into `fixed`.
    types: working types, f32, bf16 and f16; by default those that the library has.
    arrays: numpy, torch, jax or mlx; by default that of the annotations, else of the module's imports.
    device: of torch's tensors. strided: the function takes any layout; else it gets contiguous operands.
    Raises SignatureError.
    """
    if arrays is not None and arrays not in LIBRARIES:
        raise ValueError(
            f"arrays={arrays!r} is not known{nearest(arrays, LIBRARIES)}; use one of {', '.join(LIBRARIES)}"
        )
    kinds = (types,) if isinstance(types, str) else tuple(types or ())
    for kind in kinds:
        if kind not in TYPES:
            raise ValueError(f"types={kind!r} is no working type{nearest(kind, TYPES)}; use some of {', '.join(TYPES)}")

    def declare(function) -> Kernel:
        library = arrays or library_of(function)
        options = {"arrays": library, "fixed": dict(fixed or {}), "device": device, "strided": strided}
        return Kernel(function, component, types=kinds or types_of(library), **options)

    return declare


def types_of(library: str) -> tuple[str, ...]:
    """The working types whose numbers the library can hold: bf16 is numpy's only with the package ml_dtypes."""
    narrow = library in ("torch", "mlx", "jax") or importlib.util.find_spec("ml_dtypes") is not None
    return TYPES if narrow else tuple(kind for kind in TYPES if kind != "bf16")


def library_of(function) -> str:
    """The library of the annotations, else of the modules that the function's globals hold, else numpy."""
    notes = " ".join(str(note) for note in getattr(function, "__annotations__", {}).values())
    roots = {
        getattr(value, "__name__", "").split(".")[0]
        for value in getattr(function, "__globals__", {}).values()
        if inspect.ismodule(value)
    }
    for library in ("torch", "jax", "mlx"):
        if library in notes:
            return library
    if "numpy" in notes or "ndarray" in notes:
        return "numpy"
    return next((library for library in ("torch", "jax", "mlx") if library in roots), "numpy")


def _taken(function, of: Signature, fixed: dict) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the operands and of the parameters that the function takes."""
    operands = {field.name: field for field in of.inputs}
    known = [*operands, *of.params]
    for name in fixed:
        if name not in of.params:
            raise SignatureError(f"{of.name} has no parameter {name!r}, which `fixed` names{nearest(name, of.params)}")
    named, everything = [], False
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            everything = True
        elif parameter.kind in (parameter.VAR_POSITIONAL, parameter.POSITIONAL_ONLY):
            raise SignatureError(f"{function.__name__} takes {name!r} by its position, but operands come by name: {of}")
        elif name in known:
            named.append(name)
        elif parameter.default is parameter.empty:
            raise SignatureError(f"{of.name} has no operand or parameter {name!r}{nearest(name, known)}; it is {of}")
    taken = known if everything else named
    missing = [name for name, field in operands.items() if not field.optional and name not in taken]
    if missing:
        raise SignatureError(
            f"{function.__name__} takes no {missing[0]!r}, which every call of {of.name} has; it is {of}"
        )
    return (
        tuple(name for name in taken if name in operands),
        tuple(name for name in taken if name in of.params and name not in fixed),
    )
