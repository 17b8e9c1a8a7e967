#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Every trap of docs/traps.md names tests that exist, or says why there is none.

usage: ci/check_traps.py [ROOT]        exit status 1 and one line per violation
"""
import pathlib
import re
import sys

TRAPS = 40
ROW = re.compile(r"^(\d+)\. (?:.+\n)+? {3}- ((?:.+\n)(?: {5}.+\n)*)", re.MULTILINE)
CASE = re.compile(r"`(\w+\.\w+)`")
TEST = re.compile(r"^TEST(?:_F|_P)?\((\w+), (\w+)\)", re.MULTILINE)


def tests(root: pathlib.Path) -> set[str]:
    sources = (p for p in root.rglob("*_test.cpp") if "build" not in p.relative_to(root).parts)
    return {".".join(found) for source in sources for found in TEST.findall(source.read_text(encoding="utf-8"))}


def violations(rows: list[tuple[str, str]], known: set[str]) -> list[str]:
    found = []
    numbers = [int(number) for number, _ in rows]
    if numbers != list(range(1, TRAPS + 1)):
        found.append(f"rows {numbers}; expected 1 to {TRAPS} in order")
    for number, evidence in rows:
        named = CASE.findall(evidence)
        if not named and not evidence.startswith("none: "):
            found.append(f"trap {number}: neither a test nor `none: REASON`")
        found += [f"trap {number}: there is no test {name}" for name in named if name not in known]
    return found


def main(arguments: list[str]) -> int:
    root = pathlib.Path(arguments[0] if arguments else __file__).resolve()
    root = root if arguments else root.parent.parent
    found = violations(ROW.findall((root / "docs/traps.md").read_text(encoding="utf-8")), tests(root))
    for line in found:
        print(f"docs/traps.md: {line}")
    print(f"traps: {TRAPS} rows, {len(found)} errors")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
