# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Finds the program `parity` and runs it."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys

_PACKAGE = pathlib.Path(__file__).resolve().parent
USAGE, DAMAGED, ABSENT, NOTHING = 2, 3, 4, 5  # exit codes: docs/start.md
_ERRORS = {USAGE, DAMAGED, ABSENT, 70}


class ProgramError(RuntimeError):
    """The program could not do what was asked. `status` is its exit code, the text what it says."""

    def __init__(self, text: str, status: int):
        super().__init__(text)
        self.status = status


def places() -> list[pathlib.Path]:
    """Where the program may be, best first: of the wheel, of the tree that holds this file, of PATH."""
    built = _PACKAGE.parent.parent / "build"
    found = [_PACKAGE / "_program/bin/parity", built / "release/cli/parity", built / "dev/cli/parity"]
    elsewhere = shutil.which("parity")
    if elsewhere and not _is_script(pathlib.Path(elsewhere)):
        found.append(pathlib.Path(elsewhere))
    return found


def _is_script(path: pathlib.Path) -> bool:
    """Whether it is the command that pip makes of main(), which would find itself."""
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def path() -> pathlib.Path:
    """The program: the one that PARITY_PROGRAM names, else the first of places() that is there. Raises ProgramError."""
    named = os.environ.get("PARITY_PROGRAM")
    if named:
        if not os.access(named, os.X_OK):
            raise ProgramError(f"PARITY_PROGRAM names {named}, which is no program; correct or unset it", ABSENT)
        return pathlib.Path(named).resolve()
    for candidate in places():
        if os.access(candidate, os.X_OK):
            return candidate
    raise ProgramError(
        "the program parity is not built: run `pip install .` or `ci/demo.sh` in its tree, or let "
        "PARITY_PROGRAM name it",
        ABSENT,
    )


def shared() -> list[pathlib.Path]:
    """Folders that may hold golden/data: the working folder, and those that come with the program."""
    program = path()
    return [pathlib.Path.cwd(), program.parent.parent / "share/parity", *program.parents[2:4]]


def run(*words: str, **options) -> subprocess.CompletedProcess:
    """Runs the program and returns what it printed. Raises ProgramError for exit codes that are no verdict."""
    command = [str(path()), *(str(word) for word in words)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, **options)
    check(done.returncode, done.stderr or done.stdout)
    return done


def check(status: int, text: str) -> None:
    """Raises ProgramError for exit codes that are no verdict, and for signals."""
    if status < 0:
        raise ProgramError(f"the program ended by signal {-status}: {text.strip()}", status)
    if status in _ERRORS:
        raise ProgramError(text.strip().removeprefix("parity: "), status)


def document(*words: str) -> dict:
    """The JSON that the command writes to stdout with --json -."""
    return json.loads(run(*words, "--json", "-").stdout)


def main() -> int:
    """The command `parity` of an installed wheel: becomes the program."""
    try:
        program = str(path())
    except ProgramError as error:
        print(f"parity: {error}", file=sys.stderr)
        return ABSENT
    os.execv(program, ["parity", *sys.argv[1:]])
