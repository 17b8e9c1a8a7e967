#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Prints the findings of a SARIF log as annotations of GitHub Actions: `::error file=…,line=…::…`.

usage: ci/hosts/annotate.py REPORT.SARIF        at most ten, because GitHub shows ten of a step"""
import json
import pathlib
import sys

MOST = 10


def escaped(text: str, is_property: bool = False) -> str:
    """A line feed or a percent sign would end the command, a comma or a colon a property."""
    for old, new in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"), *(((":", "%3A"), (",", "%2C")) if is_property else ())):
        text = text.replace(old, new)
    return text


def annotations(log: dict) -> list[str]:
    lines = []
    for result in (result for run in log["runs"] for result in run["results"]):
        place = result["locations"][0]["physicalLocation"]
        file, line = place["artifactLocation"]["uri"], place["region"]["startLine"]
        name = result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]
        kind = "error" if result["level"] == "error" else "warning"
        lines.append(f"::{kind} file={escaped(file, True)},line={line},title={escaped('parity: ' + name, True)}::"
                     + escaped(result["message"]["text"]))
    if len(lines) > MOST:
        more = len(lines) - MOST + 1
        lines[MOST - 1:] = [f"::warning title=parity::{more} more findings are in report.html and report.sarif"]
    return lines


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: ci/hosts/annotate.py REPORT.SARIF", file=sys.stderr)
        return 2
    for line in annotations(json.loads(pathlib.Path(arguments[0]).read_text(encoding="utf-8"))):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
