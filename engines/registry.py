# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Engines, their runs and the bugs that they shipped, as the adapters declare them."""

from __future__ import annotations

import importlib
import pathlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


WORDS = {"triton": "Triton {}", "part": "{} kernels", "attention": "{} attention",
         "cache": "{} cache", "weights": "{} weights"}  # options of runs, in labels
VALUES = {"machine": "PTX machine", "interpreter": "Triton's interpreter", "flex_attention": "flex",
          "q8_0": "Q8_0"}
SHOWN = 6  # names in a message


def first_names(names: list[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def read_options(words: Iterable[str], known: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """NAME=VALUE words as a dict; ValueError for a name or a value that is not in `known`. No values there: any."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name not in known:
            raise ValueError(f"unknown option {word}; options are {', '.join(f'{one}=…' for one in known) or 'none'}")
        if name in found:
            raise ValueError(f"option {name} is given twice")
        if known[name] and value not in known[name]:
            raise ValueError(f"unknown value {word}; values of {name} are {', '.join(known[name])}")
        found[name] = value
    return found


@dataclass(frozen=True)
class Run:
    """A release with options on a golden of golden/data."""

    version: str
    golden: str
    options: tuple[str, ...] = ()  # NAME=VALUE, given to the adapter
    only: tuple[str, ...] = ()  # globs over taps: the engine shows no others in this run
    without: tuple[str, ...] = ()
    inputs: str = "own"  # golden: single kernels, each on recorded operands

    @property
    def given(self) -> dict[str, str]:
        return dict(option.split("=", 1) for option in self.options)

    @property
    def label(self) -> str:
        """"0.33.0, Triton 3.9.0, PTX machine, elementwise": the release, then its options in words."""
        return ", ".join((self.version, *(WORDS.get(name, "{}").format(VALUES.get(value, value))
                                          for name, value in self.given.items())))

    def name(self, engine: str) -> str:
        return "-".join((engine, self.version, *self.given.values(), self.golden))


@dataclass(frozen=True)
class Note:
    """Why a cell is wrong, found by reading the release: without one the command ends with 1."""

    component: str
    why: str
    place: str  # file and line of the release
    version: tuple[str, ...] = ()  # all, if empty
    goldens: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    def fits(self, run: Run, component: str) -> bool:
        return (component == self.component and (not self.version or run.version in self.version)
                and (not self.goldens or run.golden in self.goldens) and set(self.options) <= set(run.options))


@dataclass(frozen=True)
class Bug:
    """A bug of a release and the release that repairs it: red with `cause` among the causes, then right."""

    what: str
    component: str
    cause: str  # fault, parameter or profile that the report must name
    before: Run
    after: Run
    link: str = ""


@dataclass(frozen=True)
class Engine:
    name: str
    pip: tuple[str, ...]  # requirements; {version} is the run's release, {name} its option of that name
    runs: tuple[Run, ...]
    options: dict[str, tuple[str, ...]] = field(default_factory=dict)  # that runs may give: values, or () for any
    torch: bool = False  # needs PyTorch, which ci/setup.sh torch installs
    build: str = ""  # a script of this folder, called with release and environment: what pip does not install
    without: tuple[str, ...] = ()  # taps that no run shows
    notes: tuple[Note, ...] = ()
    bugs: tuple[Bug, ...] = field(default_factory=tuple)
    remarks: tuple[str, ...] = ()  # what was found beside the table
    adapter: str = ""  # the file, filled in by engines()

    def __post_init__(self):
        for one in self.all_runs():
            read_options(one.options, self.options)

    def all_runs(self) -> list[Run]:
        """The runs, and those that the bugs need, each once."""
        return list(dict.fromkeys((*self.runs, *(run for bug in self.bugs for run in (bug.before, bug.after)))))

    def note(self, run: Run, component: str) -> Note | None:
        return next((note for note in self.notes if note.fits(run, component)), None)


def engines() -> list[Engine]:
    """One an adapter: every file of adapters/ that declares ENGINE."""
    found = []
    for path in sorted((HERE / "adapters").glob("*.py")):
        module = importlib.import_module(f"adapters.{path.stem}")
        if hasattr(module, "ENGINE"):
            found.append(Engine(**{**vars(module.ENGINE), "adapter": str(path)}))
    return found
