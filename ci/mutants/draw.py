# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Mutants by seed, spread over modules and operators."""
import bisect
import dataclasses
import functools
import hashlib
import pathlib
import random
from typing import Callable, Iterator

from mutants import modules, ptx, source
from mutants.edits import Edit, Operator, changed_lines, without_comments


@functools.lru_cache(maxsize=8)
def read(file: pathlib.Path) -> str:
    return file.read_text(encoding="utf-8")


@dataclasses.dataclass(frozen=True)
class Mutant:
    module: modules.Module
    operator: str
    file: pathlib.Path  # what is edited: a .cu or .cuh file, or the PTX
    edit: Edit
    where: str  # kernel:line of PTX, file:line of source
    before: tuple[str, ...]
    after: tuple[str, ...]
    copies_before: int  # of these lines, in the file or the kernel

    @property
    def in_ptx(self) -> bool:
        return self.file.suffix == ".ptx"

    @property
    def kernel(self) -> str:
        """Of an edit of PTX the kernel that it is in; "" of an edit of source, which may be in several."""
        return self.where.split(":")[0] if self.in_ptx else ""

    @property
    def key(self) -> str:
        """The same after unrelated edits of the file: no line number is in it."""
        place = self.where.split(":")[0]
        words = "\n".join([*self.before, f"-> {self.copies_before}", *self.after])
        return f"{self.module.name}/{self.operator}/{place}/{hashlib.sha256(words.encode()).hexdigest()[:10]}"


@dataclasses.dataclass(frozen=True)
class Choice:
    """An edit that may be drawn. A module has tens of thousands: lines are cut out of the text when one is."""
    module: modules.Module
    operator: str
    file: pathlib.Path
    place: str
    edit: Edit

    def mutant(self) -> Mutant:
        text = read(self.file)
        line, before, after = changed_lines(text, self.edit)
        kernel = max(text.rfind("\n.visible .entry", 0, self.edit.start), 0)
        copies = text.count("\n".join(before), kernel, text.rfind("\n", 0, self.edit.start) + 1)
        return Mutant(self.module, self.operator, self.file, self.edit, f"{self.place}:{line}", tuple(before),
                      tuple(after), copies)


def of_source(module: modules.Module, root: pathlib.Path, operator: Operator) -> list[list[Choice]]:
    """For each file what the operator can make of it."""
    groups = []
    for file in modules.device_files(root, module.source):
        text = read(file)
        begin, end = modules.device_half(text)
        groups.append([Choice(module, operator.name, file, str(file.relative_to(root)), edit)
                       for edit in operator.find(without_comments(text)) if begin <= edit.start < end])
    return [group for group in groups if group]


def of_ptx(module: modules.Module, operator: Operator) -> list[list[Choice]]:
    """For each kernel of the module what the operator can make of it."""
    text = read(module.ptx)
    entries = list(modules.ENTRY.finditer(text))
    starts = [entry.start() for entry in entries]
    groups: dict[str, list[Choice]] = {}
    for edit in operator.find(text):
        at = bisect.bisect_right(starts, edit.start) - 1
        if at >= 0:
            kernel = entries[at][1]
            groups.setdefault(kernel, []).append(Choice(module, operator.name, module.ptx, kernel, edit))
    return list(groups.values())


class Cell:
    """A module and an operator. What the operator finds is looked for when the cell's turn comes: the PTX of all modules
    has tens of megabytes, and a study looks at few cells."""

    def __init__(self, find: Callable[[], list[list[Choice]]]):
        self.find = find
        self.groups: list[list[Choice]] | None = None

    def drawn(self, draw: random.Random) -> Choice | None:
        """Of a file or kernel that is drawn first; None if nothing is left."""
        if self.groups is None:
            self.groups = self.find()
        if not self.groups:
            return None
        group = draw.choice(self.groups)
        choice = group.pop(draw.randrange(len(group)))
        if not group:
            self.groups.remove(group)
        return choice


def drawn(of: list[modules.Module], root: pathlib.Path, seed: int) -> Iterator[Mutant]:
    """Every mutant once. A turn gives one of each module and operator, in an order that the seed draws."""
    draw = random.Random(seed)
    cells = [Cell(functools.partial(of_source, module, root, operator)) for module in of for operator in source.OPERATORS]
    cells += [Cell(functools.partial(of_ptx, module, operator)) for module in of for operator in ptx.OPERATORS]
    while cells:
        draw.shuffle(cells)
        left = []
        for cell in cells:
            choice = cell.drawn(draw)
            if choice:
                left.append(cell)
                yield choice.mutant()
        cells = left
