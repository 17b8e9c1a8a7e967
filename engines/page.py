# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/field.md, unless that would drop results which the page shows and build/field does not hold."""

from __future__ import annotations

import pathlib
import sys

import table
from registry import Engine, first_names


def shown(page: str) -> set[tuple[str, str]]:
    """(engine, head of its column) of every result on a page, and ("", first cell) of every bug."""
    found, engine, is_bug = set(), "", False
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.split(" | ")]
        if line.startswith("## "):
            engine, is_bug = line[3:], False
        elif line.startswith("| operation |"):
            found |= {(engine, cell.removesuffix(" |")) for cell in cells[1:]}
        elif line.startswith("| bug |"):
            is_bug = True
        elif is_bug and line.startswith("| "):
            found.add(("", cells[0].removeprefix("| ")))
    return found


def lost(page: str, engines: list[Engine], found: dict[str, dict]) -> list[str]:
    """Runs and bugs that the adapters declare and a page shows, and whose results are not there: a page without them
    would look as if these engines had never been run."""
    known = shown(page)
    runs = [one.name(engine.name) for engine in engines for one in engine.runs
            if (engine.name, f"{one.label}<br>{one.golden}") in known]
    bugs = [one.name(engine.name) for engine in engines for bug in engine.bugs if ("", table.linked(bug)) in known
            for one in (bug.before, bug.after)]
    return [name for name in dict.fromkeys(runs + bugs) if name not in found]


def write(path: pathlib.Path, engines: list[Engine], found: dict[str, dict]) -> bool:
    """False, with the reason on stderr, if the page stays as it is."""
    missing = lost(path.read_text(encoding="utf-8"), engines, found) if path.exists() else []
    if missing:
        print(f"{path.name} is not written: it shows results of {len(missing)} runs that were not made here, "
              f"{first_names(missing)}; run engines/field.py without names, or delete the page", file=sys.stderr)
        return False
    path.write_text(table.page(engines, found), encoding="utf-8")
    return True
