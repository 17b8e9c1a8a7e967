# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Signatures of components, as the program declares them."""

from __future__ import annotations

import dataclasses
import difflib
import functools

from parity import program


@dataclasses.dataclass(frozen=True)
class Field:
    """An operand or an output. Axes are letters of docs/golden-format.md; `*` stands for any leading ones."""

    name: str
    axes: str
    optional: bool


@dataclasses.dataclass(frozen=True)
class Signature:
    name: str
    formula: str
    inputs: tuple[Field, ...]
    outputs: tuple[Field, ...]
    params: dict[str, object]  # with defaults

    def __str__(self) -> str:
        operands = ", ".join(f"{one.name}=None" if one.optional else one.name for one in self.inputs)
        parameters = "".join(f", {name}={value!r}" for name, value in self.params.items())
        return f"{self.name}({operands}{', *' if parameters else ''}{parameters})"


def _value(number):
    return float(number) if isinstance(number, str) else number  # "inf", which JSON has not


def _fields(listed: list[dict]) -> tuple[Field, ...]:
    return tuple(Field(one["name"], one["axes"], one["optional"]) for one in listed)


@functools.lru_cache(maxsize=None)
def _all(of: str) -> dict[str, Signature]:
    return {
        one["name"]: Signature(
            one["name"],
            one["formula"],
            _fields(one["inputs"]),
            _fields(one["outputs"]),
            {param["name"]: _value(param["default"]) for param in one["params"]},
        )
        for one in program.document("list", "components")["components"]
    }


def components() -> dict[str, Signature]:
    """Every component and fused chain that can be judged, by name."""
    return _all(str(program.path()))


def nearest(word: str, known) -> str:
    """ "; did you mean 'x'?" or nothing."""
    found = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {found[0]!r}?" if found else ""


def signature(component: str) -> Signature:
    """The signature of a component. Raises ValueError with the nearest name."""
    known = components()
    if component not in known:
        raise ValueError(f"{component!r} is no component{nearest(component, known)}; `parity list` names them")
    return known[component]
