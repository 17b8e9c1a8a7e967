#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Formats the C++ sources: clang-format 14, then shape comments go to the right margin.

    TensorView x;                                                               // (S, H)

clang-format 14 can only put a trailing comment next to the code, so the margin is restored after it.
usage: ci/format.py [--check] [--changed | FILE...]
"""
import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = "core golden reference optimized replay compare cases faults reports benches cli fuzz examples".split()
SUFFIXES = {".hpp", ".cpp", ".cu", ".cuh", ".h", ".c"}
MARGIN = 120
# Code, then a comment that begins with a shape: `// (S, H)`, `// (B, heads, P + S) bf16`, `// (N) i64, optional`.
# The first extent is an axis letter or a size, so that prose in parentheses stays put.
EXTENT = r"[A-Z0-9]{1,4}(?: ?[-+*/] ?[A-Z0-9]{1,4})*"
SHAPE = rf"(?:{EXTENT}(?:, ?(?:{EXTENT}|[a-z_]+))*)?,?"
SHAPE_COMMENT = re.compile(rf"^(?P<code>.*\S) +(?P<comment>// \({SHAPE}\)(?:[ ,;].*)?)$")


def align_shapes(text: str) -> str:
    """Moves every trailing shape comment so that it ends at the margin."""
    lines = []
    for line in text.split("\n"):
        match = SHAPE_COMMENT.match(line)
        if match and not match["code"].lstrip().startswith("//"):
            gap = max(2, MARGIN - len(match["code"]) - len(match["comment"]))
            line = match["code"] + " " * gap + match["comment"]
        lines.append(line)
    return "\n".join(lines)


def find_clang_format() -> str:
    for name in ("clang-format-14", "clang-format"):
        path = shutil.which(name)
        if path and " version 14." in subprocess.run([path, "--version"], capture_output=True, text=True).stdout:
            return path
    sys.exit("format: clang-format 14 is missing; install it: apt-get install clang-format-14")


def sources() -> list[pathlib.Path]:
    found = []
    for folder in FOLDERS:
        for directory, _, names in os.walk(ROOT / folder):
            found += [pathlib.Path(directory, name) for name in names if pathlib.Path(name).suffix in SUFFIXES]
    return sorted(found)


def changed_sources() -> list[pathlib.Path]:
    """Those that are not as the last commit has them, new ones too."""
    listed = [subprocess.run(["git", *words, "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
              for words in (("diff", "--name-only", "--diff-filter=d", "HEAD"),
                            ("ls-files", "--others", "--exclude-standard"))]
    known = set(sources())
    return sorted(known & {ROOT / name for text in listed for name in text.split("\0") if name})


def formatted(clang_format: str, path: pathlib.Path) -> str:
    done = subprocess.run([clang_format, "--style=file", str(path)], capture_output=True, check=True)
    return align_shapes(done.stdout.decode("utf-8"))


def main() -> int:
    parser = argparse.ArgumentParser(description="Formats the C++ sources, or shows what is not formatted.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit status 1 and a diff if it would")
    parser.add_argument("--changed", action="store_true", help="only files that differ from the last commit")
    parser.add_argument("files", nargs="*", type=pathlib.Path,
                        help="C++ and CUDA sources; other files are left alone (default: all sources)")
    arguments = parser.parse_args()

    clang_format = find_clang_format()
    files = [path.resolve() for path in arguments.files if path.suffix in SUFFIXES]  # others it would destroy
    if not arguments.files:
        files = changed_sources() if arguments.changed else sources()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda path: formatted(clang_format, path), files))

    changed = 0
    for path, after in zip(files, results):
        before = path.read_text(encoding="utf-8")
        if before == after:
            continue
        changed += 1
        name = os.path.relpath(path, ROOT)
        if arguments.check:
            lines = difflib.unified_diff(
                before.splitlines(), after.splitlines(), name, f"{name} (formatted)", n=0, lineterm="")
            print("\n".join(list(lines)[:20]))
        else:
            path.write_text(after, encoding="utf-8")
            print(f"formatted {name}")
    if changed and arguments.check:
        print(f"format: {changed} of {len(files)} files are not formatted; run ci/format.sh", file=sys.stderr)
        return 1
    print(f"format: {len(files)} files, {changed} changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
