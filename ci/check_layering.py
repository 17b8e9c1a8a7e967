#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Checks rules that a compiler does not: which folder may include which, topics, sizes of files and folders, licences.

usage: ci/check_layering.py [ROOT]        exit status 1 and one line per violation; warnings do not fail
"""
import collections
import os
import pathlib
import re
import sys
from dataclasses import dataclass, field

# A folder may use itself and the folders named here. `reference` and `optimized` never use each other, because a bug in
# shared code would change both results in the same way.
MAY_USE = {
    "core": "",
    "golden": "core",
    "reference": "core",
    "optimized": "core",
    "ranks": "core",
    "replay": "core golden reference optimized ranks",
    "compare": "core golden reference optimized ranks replay",
    "cases": "core golden reference optimized ranks replay compare",
    "faults": "core golden reference optimized ranks replay compare cases",
    "reports": "core golden reference optimized ranks replay compare cases faults",
    "benches": "core golden reference optimized ranks replay compare cases faults reports",
    "cli": "core golden reference optimized ranks replay compare cases faults reports benches",
    "examples": "core",
}
# A backend is a folder of optimized/ with a backend.cpp. It uses no folder of another backend, so that it can be built
# alone; a second place for the same kernels uses theirs. Code that several backends share is in optimized/ itself.
BACKEND_MAY_USE = {"cuda_host": {"cuda"}, "cublaslt": {"cuda"}}
ORDER = "see the order of folders in CONTRIBUTING.md"
CPP = {".hpp", ".cpp", ".cu", ".cuh", ".h", ".c"}
SOURCES = CPP | {".def", ".py", ".sh", ".cmake"}
NO_LENGTH_LIMIT = {".def"}
SKIPPED_FOLDERS = {"build", "report", "docs", "data", "__pycache__"}

LONG_FILE, LONGEST_FILE, LONG_FUNCTION = 300, 500, 50
FULL_FOLDER = 64  # C++ files in one folder; more are divided among subfolders

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
# What may use the helpers of tests: as cmake/ParityTargets.cmake tells tests from the rest.
OF_TESTS = re.compile(r"_test\.(cpp|cu)$|/testing/")
# Subfolders of kernels that belong to no topic.
NO_TOPIC = {"optimized/cpu": {"simd"}, "optimized/cuda": {"device"}}
CMAKE_TARGET = re.compile(r"\bparity(?:::|_)(" + "|".join(MAY_USE) + r")\b")
GENERATED = re.compile(r"^\W*generated\b", re.IGNORECASE | re.MULTILINE)
RAW_STRING = r'R"(?P<delimiter>[^()\\\s]{0,16})\((?:.|\n)*?\)(?P=delimiter)"'
COMMENT = r"//[^\n]*|/\*(?:.|\n)*?\*/"
LITERAL = r'''"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*\''''
NOISE = re.compile(f"{RAW_STRING}|{COMMENT}|{LITERAL}")
NOT_A_FUNCTION = re.compile(r"\b(if|for|while|switch|catch|do|else|try|namespace|class|struct|union|enum|extern)\b")


@dataclass
class Report:
    """What was found: violations fail the gate, warnings are for the reader."""

    files: int = 0
    components: int = 0
    violations: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def blank(text: str, keep_strings: bool = False) -> str:
    """The text without comments and string literals (raw ones always); line numbers stay the same."""

    def replace(match: re.Match) -> str:
        if keep_strings and match[0][0] == '"':
            return match[0]
        return re.sub(r"[^\n]", " ", match[0])

    return NOISE.sub(replace, text)


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def check_includes(name: str, text: str, report: Report) -> None:
    folder = name.split("/")[0]
    if folder not in MAY_USE:
        return
    code = blank(text, keep_strings=True)
    for match in INCLUDE.finditer(code):
        quote, target = match.groups()
        where = f"{name}:{line_of(code, match.start())}"
        top = target.split("/")[0] if "/" in target else ""
        if top in MAY_USE:
            if top != folder and top not in MAY_USE[folder].split():
                report.violations.append(f"{where}: {folder}/ must not include {target}; {ORDER}")
            elif quote == "<":
                report.violations.append(f'{where}: write #include "{target}", angle brackets are for libraries')
            if "/testing/" in target and not OF_TESTS.search(name):
                report.violations.append(f"{where}: {target} is for tests; move what the program needs out of testing/")
        elif quote == '"':
            report.violations.append(f"{where}: include {target} by its path from the repository root")


def check_backends(root: pathlib.Path, report: Report) -> None:
    """No backend includes what lies in another one's folder."""
    backends = {path.parent.name for path in (root / "optimized").glob("*/backend.cpp")}
    for backend in sorted(backends):
        for path in sorted((root / "optimized" / backend).rglob("*")):
            if path.suffix not in CPP:
                continue
            code = blank(path.read_text(encoding="utf-8"), keep_strings=True)
            for match in INCLUDE.finditer(code):
                parts = match[2].split("/")
                other = parts[1] if parts[0] == "optimized" and len(parts) > 2 else backend
                if other in backends - {backend} - BACKEND_MAY_USE.get(backend, set()):
                    where = f"{path.relative_to(root).as_posix()}:{line_of(code, match.start())}"
                    report.violations.append(f"{where}: the backend {backend} must not include {match[2]} of {other}; "
                                             "move what both use to optimized/ itself")


def check_cmake(name: str, text: str, report: Report) -> None:
    folder = name.split("/")[0]
    if folder not in MAY_USE:
        return
    code = re.sub(r"#[^\n]*", "", text)
    for match in CMAKE_TARGET.finditer(code):
        if match[1] != folder and match[1] not in MAY_USE[folder].split():
            where = f"{name}:{line_of(code, match.start())}"
            report.violations.append(f"{where}: {folder}/ must not link {match[0]}; {ORDER}")


def check_header(name: str, text: str, report: Report) -> None:
    if pathlib.PurePath(name).suffix not in {".hpp", ".cuh"}:
        return
    code = blank(text)
    if not re.search(r"^#pragma once$", code, re.MULTILINE):
        report.violations.append(f"{name}: #pragma once is missing")
    for match in re.finditer(r"^\s*using\s+namespace\b", code, re.MULTILINE):
        report.violations.append(f"{name}:{line_of(code, match.end())}: no `using namespace` in a header")


def check_licence(name: str, text: str, report: Report) -> None:
    head = "\n".join(text.split("\n", 5)[:5])
    if "SPDX-License-Identifier: Apache-2.0" not in head or "SPDX-FileCopyrightText:" not in head:
        report.violations.append(f"{name}: the two SPDX lines are missing from its head (see CONTRIBUTING.md)")


def check_length(name: str, text: str, report: Report) -> None:
    path = pathlib.PurePath(name)
    if path.suffix in NO_LENGTH_LIMIT or GENERATED.search("\n".join(text.split("\n", 5)[:5])):
        return
    lines = text.count("\n")
    if lines > LONGEST_FILE:
        report.violations.append(f"{name}: {lines} lines, the limit is {LONGEST_FILE}; split the file")
    elif lines > LONG_FILE:
        report.warnings.append(f"{name}: {lines} lines (target 150, review at {LONG_FILE})")
    if path.suffix in CPP:
        for first, length, title in long_functions(text):
            report.warnings.append(f"{name}:{first}: {title} has {length} lines (target {LONG_FUNCTION})")


def long_functions(text: str) -> list[tuple[int, int, str]]:
    """(first line, lines, name) of functions above the limit; by braces, so a guide and not a proof."""
    code = blank(text)
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m[0]), code, flags=re.MULTILINE)
    found, stack, start = [], [], 0
    for position, character in enumerate(code):
        if character == "{":
            title = code[start:position]
            inside = any(entry for entry in stack)
            name = re.search(r"([\w:~]+)\s*\(", title)
            is_function = bool(name) and not inside and not NOT_A_FUNCTION.search(title.split("(")[0])
            stack.append((line_of(code, position - len(title.lstrip())), name[1]) if is_function else None)
        elif character == "}" and stack:
            entry = stack.pop()
            if entry:
                length = line_of(code, position) - entry[0] + 1
                if length > LONG_FUNCTION:
                    found.append((entry[0], length, entry[1]))
        if character in "{};":
            start = position + 1
    return found


def check_components(root: pathlib.Path, report: Report) -> None:
    """A component has the same topic in every folder; a topic of kernels is one of core/components/."""
    headers = {path.stem: path.parent.name for path in (root / "core" / "components").glob("*/*.hpp")}
    report.components = len(headers)
    for path in sorted((root / "core" / "components").glob("*.hpp")):
        report.violations.append(f"core/components/{path.name}: move it to the folder of its topic")
    for name, topic in sorted(headers.items()):
        if not (root / "reference" / topic / f"{name}.cpp").exists():
            report.violations.append(f"core/components/{topic}/{name}.hpp: no reference/{topic}/{name}.cpp")
    for folder in ("reference", "optimized/cpu", "optimized/cuda"):
        for path in sorted((root / folder).glob("*/*.c[pu]*")):
            where, topic = f"{folder}/{path.parent.name}/{path.name}", path.parent.name
            if topic in NO_TOPIC.get(folder, set()):
                continue
            if topic not in headers.values():
                report.violations.append(f"{where}: core/components/ has no topic {topic}; move the file")
            elif headers.get(path.stem, topic) != topic:
                report.violations.append(f"{where}: the topic of {path.stem} is {headers[path.stem]}; move the file")


def check_sizes(names: list[str], report: Report) -> None:
    """No folder has more than FULL_FOLDER C++ files."""
    files = collections.Counter(name.rpartition("/")[0] for name in names if pathlib.PurePath(name).suffix in CPP)
    for folder, count in sorted(files.items()):
        if count > FULL_FOLDER:
            report.violations.append(f"{folder}/: {count} C++ files, the limit is {FULL_FOLDER}; "
                                     "make subfolders by topic")


def check_decisions(root: pathlib.Path, report: Report) -> None:
    """Every decision record stands in the list of docs/README.md."""
    listing = root / "docs" / "README.md"
    text = listing.read_text(encoding="utf-8") if listing.exists() else ""
    for page in sorted((root / "docs" / "adr").glob("*.md")):
        if f"(adr/{page.name})" not in text:
            report.violations.append(f"docs/adr/{page.name}: not listed in docs/README.md")


def source_files(root: pathlib.Path) -> list[str]:
    found = []
    for directory, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in SKIPPED_FOLDERS and not name.startswith(".")]
        for name in names:
            if pathlib.PurePath(name).suffix in SOURCES or name == "CMakeLists.txt":
                found.append(pathlib.Path(directory, name).relative_to(root).as_posix())
    return sorted(found)


def check(root: pathlib.Path) -> Report:
    report = Report()
    names = source_files(root)
    check_sizes(names, report)
    for name in names:
        report.files += 1
        try:
            text = (root / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            report.violations.append(f"{name}: not UTF-8")
            continue
        check_licence(name, text, report)
        check_length(name, text, report)
        if pathlib.PurePath(name).suffix in CPP | {".def"}:
            check_includes(name, text, report)
            check_header(name, text, report)
        elif name.endswith("CMakeLists.txt"):
            check_cmake(name, text, report)
    check_backends(root, report)
    check_components(root, report)
    check_decisions(root, report)
    if report.files == 0:
        report.violations.append(f"{root}: no source files, nothing was checked")
    return report


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    report = check(root)
    for line in report.warnings:
        print(f"warning: {line}")
    for line in report.violations:
        print(f"error: {line}")
    print(f"layering: {report.files} files, {report.components} components, "
          f"{len(report.violations)} errors, {len(report.warnings)} warnings")
    return 1 if report.violations else 0


if __name__ == "__main__":
    sys.exit(main())
