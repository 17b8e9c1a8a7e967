#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Every source file and every header compiles by itself.

The build compiles the files of a library ten at a time: one may lean on what its neighbour includes. This script looks
at each by itself, without making code. It takes minutes, so ci/nightly.sh runs it. Flags are those of the file's folder
in BUILD/compile_commands.json; BUILD needs to be configured, not built.

usage: ci/check_alone.py BUILD [--jobs N] [FILE...]     exit status 1 and the compiler's first error of each that fails
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BATCH = re.compile(r"/(?:parity_\w+)\.dir/Unity/unity_\d+_cxx\.cxx$")
DROPPED = {"-c", "-o", "-MD", "-MT", "-MF"}
WITH_VALUE = {"-o", "-MT", "-MF"}


def flags_of(command: str) -> list[str]:
    """The compiler and its flags, without source, object and dependency file."""
    words, kept = shlex.split(command), []
    skip = False
    for word in words[:-1]:
        if not skip and word not in DROPPED:
            kept.append(word)
        skip = not skip and word in WITH_VALUE
    while kept and pathlib.PurePath(kept[0]).name == "ccache":
        kept.pop(0)
    return kept


def commands(build: pathlib.Path) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Flags by file for those that the build compiles by themselves, and by room for those in batches."""
    alone, rooms = {}, {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        file = pathlib.Path(entry["file"])
        flags = flags_of(entry["command"])
        if BATCH.search(entry["file"]):
            rooms.setdefault(file.relative_to(build).parts[0], flags)
        elif file.is_relative_to(ROOT) and not file.is_relative_to(build):
            alone.setdefault(str(file.relative_to(ROOT)), flags)
    for file, flags in alone.items():  # where nothing is compiled in batches
        rooms.setdefault(file.split("/", maxsplit=1)[0], flags)
    return alone, rooms


def flags_for(file: str, alone: dict[str, list[str]], rooms: dict[str, list[str]]) -> list[str] | None:
    """Of a source file of its folder that the build compiles alone (vectors, LibTorch), else of its room."""
    folder = file.rsplit("/", 1)[0]
    for source, flags in alone.items():
        if source.rsplit("/", 1)[0] == folder and not source.endswith("_test.cpp"):
            return flags
    return None if folder == "optimized/torch" else rooms.get(file.split("/", maxsplit=1)[0])  # LibTorch may be absent


def headers_proved(sources: list[str]) -> set[str]:
    """Headers that a source file of the same name includes before everything else."""
    proved = set()
    for source in sources:
        text = (ROOT / source).read_text(encoding="utf-8")
        first = re.search(r'^#include ["<]([^">]+)[">]', text, re.M)
        if first and first.group(1).endswith((".hpp", ".h")):
            proved.add(first.group(1))
    return proved


def checks(build: pathlib.Path, wanted: list[str]) -> list[tuple[str, list[str]]]:
    """File and flags of each check. What the build itself compiles alone needs none."""
    alone, rooms = commands(build)
    files = subprocess.run(["git", "-C", str(ROOT), "ls-files", "*.cpp", "*.hpp"], capture_output=True, text=True,
                           check=True).stdout.split()
    files = [file for file in files if not wanted or file in wanted]
    proved = set() if wanted else headers_proved([file for file in files if file.endswith(".cpp")])
    found = [(file, flags_for(file, alone, rooms)) for file in files if file not in proved and file not in alone]
    return [(file, flags) for file, flags in found if flags is not None]


def first_error(file: str, flags: list[str], root: pathlib.Path = ROOT) -> str:
    """Empty when the file compiles."""
    is_header = file.endswith(".hpp")
    words = [*flags, "-fsyntax-only", "-x", "c++", *(["-"] if is_header else [str(root / file)])]
    done = subprocess.run(words, input=f'#include "{file}"\n' if is_header else "", capture_output=True, text=True,
                          cwd=root, check=False)
    if done.returncode == 0:
        return ""
    lines = [line for line in done.stderr.splitlines() if "error:" in line]
    return f"{file}: {lines[0] if lines else done.stderr[-300:]}"


def main(arguments: list[str]) -> int:
    jobs = os.cpu_count() or 1
    if "--jobs" in arguments:
        at = arguments.index("--jobs")
        jobs = int(arguments[at + 1])
        del arguments[at:at + 2]
    if not arguments:
        print("usage: ci/check_alone.py BUILD [--jobs N] [FILE...]", file=sys.stderr)
        return 2
    todo = checks(pathlib.Path(arguments[0]).resolve(), arguments[1:])
    failed = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for error in pool.map(lambda one: first_error(*one), todo):
            if error:
                failed.append(error)
                print(error, flush=True)
    print(f"{'FAIL' if failed or not todo else 'PASS'}  {len(todo)} files by themselves; {len(failed)} do not compile")
    return 1 if failed or not todo else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
