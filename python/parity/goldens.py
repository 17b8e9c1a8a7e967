# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings of the original packages: inputs, weights, tensors ("taps"), and what the reference says of each."""

from __future__ import annotations

import functools
import os
import tempfile

import h5py
import numpy as np

from parity import program
from parity.places import folder_of
from parity.signatures import nearest
from parity.weights import Weights


class NoTap(KeyError):
    """A recording has no tap of this name."""

    def __str__(self) -> str:  # a KeyError would print its text as a quoted key
        return str(self.args[0])


def text(value) -> str:
    """An attribute, which HDF5 gives as bytes or as text."""
    return value.decode() if isinstance(value, bytes) else str(value)


class Tap(np.ndarray):
    """A tensor of a recording as a numpy array. bf16 comes as binary32, which holds it exactly.

    axes: a letter or letters for each dimension. recorded_type: bf16, f32, f64, i64, bool or u8.
    exact, rounded: the reference's exact value and the value with the original package's roundings, both binary64, from
    the recorded inputs of this tap's call. limit: how far a candidate's element may be from exact.
    """

    def __array_finalize__(self, origin):
        for name in ("name", "axes", "recorded_type", "_golden"):
            setattr(
                self, name, getattr(origin, name, None) if origin is not None and origin.shape == self.shape else None
            )

    exact = property(lambda self: self._value("exact"))
    rounded = property(lambda self: self._value("rounded"))
    limit = property(lambda self: self._value("limit"))

    def _value(self, kind: str) -> np.ndarray:
        if self._golden is None:
            raise ValueError(f"{kind} belongs to the whole tap; index golden[tap].{kind}, not a part of the tap")
        return self._golden.value(kind, self.name)

    def torch(self):
        """The tap as a tensor of its recorded type."""
        import torch

        tensor = torch.from_numpy(np.array(self))
        return tensor.to(torch.bfloat16) if self.recorded_type == "bf16" else tensor


class Golden:
    """An opened golden. golden[tap] is a Tap; golden["…/q_norm/x"] is the operand x of the call q_norm. A name may
    begin with `…/` or `.../` if one tap alone ends so."""

    def __init__(self, golden):
        self.folder = folder_of(golden)
        self.name = self.folder.name
        self.file = h5py.File(self.folder / "activations.h5", "r")
        self.attributes = {
            key: text(value) if isinstance(value, (bytes, str)) else value for key, value in self.file.attrs.items()
        }

    def __repr__(self) -> str:
        return (
            f"<golden {self.name}: {self.attributes.get('oracle')}, {self.attributes.get('dtype')}, {len(self)} taps>"
        )

    @functools.cached_property
    def weights(self) -> Weights:
        """Published tensors by name."""
        return Weights(self.folder / "checkpoint")

    @functools.cached_property
    def taps(self) -> tuple[str, ...]:
        """Names of every tensor of numbers, inputs (tokens/) included."""
        found = []
        self.file.visititems(lambda name, item: found.append(name) if _is_numbers(item) else None)
        return tuple(name for name in sorted(found) if name.startswith("steps/"))

    def __len__(self) -> int:
        return len(self.taps)

    def __iter__(self):
        return iter(self.taps)

    def __contains__(self, tap: str) -> bool:
        return _is_numbers(self.file.get(tap))

    def __getitem__(self, tap: str) -> Tap:
        tap = self._whole_name(tap)
        if tap in self:
            return self._tap(tap)
        call, _, operand = tap.rpartition("/")
        return self._operand(call, operand)

    def call(self, tap: str) -> dict:
        """The call that computes a tap: component, inputs (taps and weights) and params."""
        return program.document("show", tap, "--golden", str(self.folder))

    def value(self, kind: str, tap: str) -> np.ndarray:
        """exact, rounded or limit of a tap: computed by the program when first asked for, binary64."""
        if tap not in self._values:
            with tempfile.TemporaryDirectory() as scratch:
                path = os.path.join(scratch, "values.h5")
                program.run("golden", "values", self.folder, path, "--select", tap, "--quiet")
                with h5py.File(path, "r") as file:
                    self._values[tap] = {
                        name: file[f"{name}/{tap}"][()]
                        for name in ("exact", "rounded", "limit")
                        if f"{name}/{tap}" in file
                    }
        if kind not in self._values[tap]:
            raise ValueError(f"{tap} holds ids or integers, which have no {kind}")
        return self._values[tap][kind]

    @functools.cached_property
    def _values(self) -> dict[str, dict[str, np.ndarray]]:
        return {}

    def _whole_name(self, tap: str) -> str:
        ending = tap.removeprefix("…").removeprefix("...")
        if ending == tap or not ending.startswith("/"):
            return tap
        calls = {name.rpartition("/")[0] for name in self.taps if not name.endswith("/in")}
        call, _, operand = ending.rpartition("/")
        found = [name for name in self.taps if name.endswith(ending)] or [
            f"{name}/{operand}" for name in sorted(calls) if name.endswith(call) and f"{name}/out" in self
        ]
        if len(found) != 1:
            some = ", ".join(found[:3]) + (", …" if len(found) > 3 else "")
            raise NoTap(
                f"{len(found)} taps of {self.name} end in {ending}{': ' + some if found else ''}; name one of them"
            )
        return found[0]

    def _tap(self, name: str) -> Tap:
        dataset = self.file[name]
        tap = np.asarray(dataset[()]).view(Tap)
        tap.name, tap._golden = name, self
        tap.axes = text(dataset.attrs.get("axes", ""))
        tap.recorded_type = text(dataset.attrs.get("dtype", dataset.dtype.name))
        return tap

    def _operand(self, call: str, operand: str) -> Tap:
        if f"{call}/out" not in self:
            raise NoTap(f"{self.name} records no {call}/{operand}{nearest(f'{call}/{operand}', self.taps)}")
        inputs = self.call(f"{call}/out")["inputs"]
        if operand not in inputs:
            raise NoTap(f"{call} has no operand {operand!r}; it has {', '.join(inputs)}")
        sources = inputs[operand]
        if len(sources) > 1 or "members" in sources[0]:
            raise NoTap(f"{call}/{operand} is a list of tensors; call({call + '/out'!r}) names its parts")
        if "tap" in sources[0]:
            if sources[0]["tap"] not in self:
                raise NoTap(f"{call}/{operand} is {sources[0]['tap']}, which {self.name} does not record")
            return self._tap(sources[0]["tap"])
        parts = [self.weights[name] for name in sources[0]["published"]]
        tap = np.concatenate(parts).view(Tap) if len(parts) > 1 else np.array(parts[0]).view(Tap)
        tap.name = f"{call}/{operand}"
        return tap


def _is_numbers(item) -> bool:
    return isinstance(item, h5py.Dataset) and h5py.check_string_dtype(item.dtype) is None and item.dtype.kind in "biuf"


def golden(name) -> Golden:
    """Opens a golden: a folder, or the name of one that comes with the program."""
    return Golden(name)
