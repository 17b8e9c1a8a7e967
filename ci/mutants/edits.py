# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Edits of a text, and operators: pure functions from a text to the edits that each would be one mutant."""
import dataclasses
import re
from typing import Callable


@dataclasses.dataclass(frozen=True)
class Edit:
    start: int
    end: int
    text: str

    def apply(self, whole: str) -> str:
        return whole[: self.start] + self.text + whole[self.end:]


@dataclasses.dataclass(frozen=True)
class Operator:
    name: str
    find: Callable[[str], list[Edit]]


Find = Callable[[str], list[Edit]]


def rule(pattern: str, replacement: str | Callable[[re.Match], str | None]) -> Find:
    """An edit wherever `pattern` matches: the match becomes `replacement`; where that is None nothing happens."""
    compiled = re.compile(pattern, re.MULTILINE)

    def find(text: str) -> list[Edit]:
        edits = []
        for match in compiled.finditer(text):
            new = match.expand(replacement) if isinstance(replacement, str) else replacement(match)
            if new is not None and new != match[0]:
                edits.append(Edit(match.start(), match.end(), new))
        return edits

    return find


def rules(*of: Find) -> Find:
    """The edits of all, each once, in the order of the text."""
    return lambda text: sorted({edit for find in of for edit in find(text)}, key=lambda e: (e.start, e.end, e.text))


def exchanged(pattern: str, first: int, second: int) -> Find:
    """Two groups of the match change places; the first stands before the second."""
    def swap(match: re.Match) -> str | None:
        if match[first] == match[second]:
            return None
        whole = match[0]
        (a, b), (c, d) = ((i - match.start() for i in match.span(group)) for group in (first, second))
        return whole[:a] + match[second] + whole[b:c] + match[first] + whole[d:]

    return rule(pattern, swap)


def without_comments(text: str) -> str:
    """The same text with blanks in the place of // comments, so that positions stay."""
    return re.sub(r"//[^\n]*", lambda match: " " * len(match[0]), text)


def changed_lines(text: str, edit: Edit) -> tuple[int, list[str], list[str]]:
    """Number of the first line that the edit touches, those lines, and what they become."""
    start = text.rfind("\n", 0, edit.start) + 1
    end = text.find("\n", edit.end)
    end = end if end >= 0 else len(text)
    after = edit.apply(text)
    return (text.count("\n", 0, start) + 1, text[start:end].split("\n"),
            after[start: end + len(after) - len(text)].split("\n"))
