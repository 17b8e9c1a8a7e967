# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What a plant is, and the three ways to write one down: edits of the package's source, a function, a patch file.

A plant breaks the model that is recorded. It shares no code with the faults of faults/catalogue/, which break the reference
that a failing recording is explained with: only their ids are named here.
Nothing in this package imports torch, so that the registry can be checked without it."""

from __future__ import annotations

import ast
import importlib.util
import pathlib
from collections.abc import Callable
from dataclasses import dataclass

from source_edit import rewrite

PATCHES = pathlib.Path(__file__).resolve().parent.parent / "patches"
PREFIX = {"m3": "MiniMaxM3VL", "m2": "MiniMaxM2", "text01": "MiniMax"}  # of the package's classes


@dataclass(frozen=True)
class Plant:
    name: str
    does: str  # what the planted model does wrong
    apply: Callable  # (model, modeling module): plants it in a model that has just been built
    fault: tuple[str, ...] = ()  # ids of this bug in faults/catalogue/; none: the catalogue lacks it
    model: str = "m3"
    releases: tuple[str, ...] = ()  # releases of transformers that can have this plant; none: all recorded ones
    dtype: str = ""  # the working type in which the bug is visible; "": any
    attention: str = ""  # eager: scaled-dot-product attention does not go through the edited function
    preset: str = ""  # a preset that the plant needs instead of the study's settings of its model
    options: tuple[str, ...] = ()  # options of capture_hf.py that the plant needs

    @property
    def needs(self) -> str:
        return " ".join(filter(None, (*self.releases, self.dtype, self.attention, self.preset, *self.options)))


PLANTS: dict[str, Plant] = {}


def add(name: str, does: str, apply: Callable, fault: str = "", **needs) -> None:
    if name in PLANTS:
        raise ValueError(f"two plants are called {name}")
    needs = {key: tuple(value.split()) if key in ("releases", "options") else value for key, value in needs.items()}
    PLANTS[name] = Plant(name, does, apply, tuple(fault.split()), **needs)


def source(name: str, does: str, where: str, *pieces: tuple[str, str], **about) -> None:
    """Replaces pieces of source. `where`: Class.method or function, several with the same pieces separated by blanks."""
    prefix = PREFIX[about.get("model", "m3")]

    def apply(_, modeling):
        for place in where.split():
            owner, _, method = place.rpartition(".")
            rewrite(getattr(modeling, prefix + owner) if owner else modeling, method, *pieces)

    add(name, does, apply, **about)


def plant(does: str, **about) -> Callable:
    """Decorates a function (model, modeling) whose name is the plant's."""

    def register(function: Callable) -> Callable:
        add(function.__name__, does, function, **about)
        return function

    return register


def patch(name: str, **about) -> None:
    """Adds a plant from a file of patches/, whose first line describes the bug."""
    path = PATCHES / f"{name}.py"

    def apply(model, modeling):
        spec = importlib.util.spec_from_file_location("parity_patch", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.patch(model, modeling)

    does = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    add(name, " ".join(does.split()), apply, **about)


def text_of(model):
    """The text stack of a multimodal or a text-only model."""
    return model.model.language_model if hasattr(model.model, "language_model") else model.model


def layers_of(model):
    return text_of(model).layers


def modules(model, modeling, name: str, of: str = "m3"):
    """Every module of a class of the package."""
    return [module for module in model.modules() if isinstance(module, getattr(modeling, PREFIX[of] + name))]
