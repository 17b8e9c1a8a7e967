#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Runs one file of tests, or says which package is missing and exits with 77, which ctest counts as skipped.

usage: python/tests/run.py FILE [unittest's words]     PARITY_PROGRAM names the program
A file names the packages that it needs in NEEDS. `ci/setup.sh python` installs those of the gate."""

import ast
import importlib.util
import pathlib
import sys
import unittest

SKIPPED = 77


def needs(path: pathlib.Path) -> list[str]:
    """The names in the file's NEEDS, which is read without being run."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "NEEDS":
            return list(ast.literal_eval(node.value))
    return []


def main(words: list[str]) -> int:
    path = pathlib.Path(words[0]).resolve()
    missing = [name for name in needs(path) if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: {path.name} needs {', '.join(missing)}; ci/setup.sh python installs what the gate needs")
        return SKIPPED
    sys.path[:0] = [str(path.parent.parent), str(path.parent)]
    result = unittest.main(module=path.stem, argv=[path.name, *words[1:]], exit=False).result
    if result.testsRun == 0 or result.skipped:
        print(
            f"{result.testsRun} tests were run, {len(result.skipped)} skipped: a file runs whole or names what it needs"
        )
        return 1
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
