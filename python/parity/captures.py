# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Writes captures: what an engine computed for the calls of a golden (docs/captures.md)."""

from __future__ import annotations

import dataclasses
import pathlib

import h5py
import numpy as np

from parity import dtypes, program
from parity.goldens import NoTap, text
from parity.places import folder_of
from parity.signatures import nearest

_FLOATS = ("bf16", "f16", "f32", "f64")
STATEMENTS = ("attention", "experts", "rounding", "function_ulps", "ids_order", "nothing", "layout")


@dataclasses.dataclass(frozen=True)
class Call:
    """One forward pass of the golden. tokens: its inputs by name (input_ids, position_ids, attention_mask, …)."""

    name: str
    kind: str  # prefill, decode, chunk; cache: an edit of the caches, no call
    tokens: dict[str, np.ndarray]

    @property
    def input_ids(self) -> np.ndarray:
        return self.tokens["input_ids"]


class Capture:
    """A capture that is being written. Every tap of the golden is in the file, unfilled until it is put."""

    def __init__(self, golden, path, only=(), without=(), replace: bool = False, **statements):
        """only, without: globs over taps. replace: an existing file is replaced. statements: root attributes of
        docs/captures.md (attention="sdpa", function_ulps=64), or own ones (x_engine="mine 1.2")."""
        for name in statements:
            if name not in STATEMENTS and not name.startswith("x_"):
                raise TypeError(
                    f"{name!r} is no attribute of a capture{nearest(name, STATEMENTS)}; names of your own begin with x_"
                )
        self.folder, self.path = folder_of(golden), pathlib.Path(path)
        if replace:
            self.path.unlink(missing_ok=True)
        words = [
            word
            for option, globs in (("--only", only), ("--without", without))
            for glob in ([globs] if isinstance(globs, str) else globs)
            for word in (option, glob)
        ]
        program.run("capture", "init", self.folder, self.path, *words)
        self.file = h5py.File(self.path, "r+")
        for name, value in statements.items():
            self.file.attrs[name] = str(value) if isinstance(value, (str, bool)) else value

    def __enter__(self) -> Capture:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        """What was not put stays unfilled, so that a script that dies leaves no green capture."""
        self.file.close()

    @property
    def calls(self) -> list[Call]:
        """The calls of the golden in order: what the engine has to run."""
        steps = self.file["steps"]
        return [
            Call(
                name,
                text(steps[name].attrs.get("kind", "prefill")),
                {key: item[()] for key, item in steps[name].get("tokens", {}).items()},
            )
            for name in sorted(steps)
        ]

    def put(self, tap: str, values, axes: str | None = None) -> None:
        """Fills a tap with an array of any library.

        Of another type than the golden's: stored in the golden's if that holds every number, else as it is, so that
        rounding that the engine did not do is not done here either. axes: the golden's letters in the order of
        `values`, if that is another one. Raises KeyError for an unknown tap, ValueError for another number of elements.
        """
        name = f"steps/{tap}" if f"steps/{tap}" in self.file else tap
        if not isinstance(self.file.get(name), h5py.Dataset):
            known: list[str] = []
            self.file.visititems(lambda key, item: known.append(key) if isinstance(item, h5py.Dataset) else None)
            raise NoTap(f"{self.folder.name} has no tap {tap!r} to fill{nearest(tap, known)}")
        dataset, (array, dtype) = self.file[name], _numbers(values)
        shape = _shape(dataset, axes)
        if array.size != np.prod(shape, dtype=np.int64):
            raise ValueError(
                f"{tap}: {array.shape} are {array.size} elements; the tap is {tuple(shape)}, axes "
                f"{axes or text(dataset.attrs.get('axes', ''))}"
            )
        recorded = text(dataset.attrs.get("dtype", "f32"))
        kept = (
            recorded
            if dtype not in _FLOATS or recorded not in _FLOATS or _holds(array, recorded)
            else "f32"
            if dtype == "f16"
            else dtype
        )
        if (kept, shape) != (recorded, dataset.shape):
            dataset = self._another(name, dataset, kept, shape)
        bits = dtypes.bf16_bits(array) if kept == "bf16" else array.astype(dataset.dtype)
        dataset.id.write(
            h5py.h5s.ALL,
            h5py.h5s.ALL,
            np.ascontiguousarray(bits.reshape(shape)),
            dataset.id.get_type() if kept == "bf16" else None,
        )
        if axes:
            dataset.attrs["axes"] = axes
        dataset.attrs["computed"] = "yes"  # last

    def skip(self, taps=(), calls=(), rows=(), padding: bool = False) -> None:
        """Declares what was not computed: globs over taps, calls ("002"), rows (sequences, from 0), padding."""
        for name, added in (("taps", taps), ("calls", calls), ("rows", rows)):
            words = [added] if isinstance(added, (str, int)) else list(added)
            if words:
                before = text(self.file.attrs.get(f"not_computed_{name}", "")).split()
                self.file.attrs[f"not_computed_{name}"] = " ".join([*before, *map(str, words)])
        if padding:
            self.file.attrs["not_computed_padding"] = "yes"

    def _another(self, name: str, old: h5py.Dataset, dtype: str, shape) -> h5py.Dataset:
        """The dataset again, of another type or shape, with its attributes."""
        attributes, kind = dict(old.attrs), old.id.get_type() if dtype == "bf16" else None
        del self.file[name]
        if kind is not None:
            h5py.h5d.create(self.file.id, name.encode(), kind, h5py.h5s.create_simple(tuple(shape)))
        else:
            self.file.create_dataset(name, shape, dtypes.stored(dtype))
        for key, value in attributes.items():
            self.file[name].attrs[key] = value
        self.file[name].attrs["dtype"] = dtype
        return self.file[name]


def _numbers(values) -> tuple[np.ndarray, str]:
    """The numbers as an array that holds them exactly, and the type that they had."""
    if isinstance(values, dtypes.Bits):
        return values.values(), values.dtype if values.dtype == "bf16" else "f32"
    if type(values).__module__.split(".")[0] in ("torch", "mlx"):
        dtype = str(values.dtype).rpartition(".")[2]
        values = values.detach().cpu() if hasattr(values, "detach") else values
        if dtype == "bfloat16":
            import importlib

            library = importlib.import_module("torch" if hasattr(values, "detach") else "mlx.core")
            values = values.to(library.float32) if hasattr(values, "detach") else values.astype(library.float32)
            return np.asarray(values), "bf16"
    array = np.asarray(values)
    if array.dtype.name == "bfloat16":
        return array.astype(np.float32), "bf16"
    names = {"float16": "f16", "float32": "f32", "float64": "f64"}
    return array, names.get(array.dtype.name, "integers")


def _holds(array: np.ndarray, dtype: str) -> bool:
    """Whether the type has each of the numbers."""
    with np.errstate(over="ignore", invalid="ignore"):
        there = dtypes.bf16_values(dtypes.bf16_bits(array)) if dtype == "bf16" else array.astype(dtypes.stored(dtype))
    return np.array_equal(there.reshape(array.shape).astype(np.float64), array.astype(np.float64), equal_nan=True)


def _shape(dataset: h5py.Dataset, axes: str | None) -> tuple[int, ...]:
    """The shape that the dataset has under these axes. Raises ValueError if they are not its axes in another order."""
    own = text(dataset.attrs.get("axes", "")).split(",")
    if axes is None or axes.split(",") == own:
        return dataset.shape
    if sorted(axes.split(",")) != sorted(own):
        raise ValueError(
            f"{dataset.name}: axes {axes!r} are not those of the golden, {','.join(own)!r}, in another order"
        )
    return tuple(dataset.shape[own.index(letter)] for letter in axes.split(","))


def capture(golden, path, **options) -> Capture:
    """Begins a capture of the calls of a golden; options as of Capture. Use it in a `with` statement."""
    return Capture(golden, path, **options)
