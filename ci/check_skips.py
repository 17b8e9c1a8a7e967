#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Nothing is green that was not executed: fails when ctest skipped a test for a reason that is not below, or is not
true, and when a file of Python tests passed without some of them.

usage: ci/check_skips.py CTEST.XML        (JUnit, as `ctest --output-junit` writes it)
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

WITH_NVCC = "cuda.driver"  # a test that exists where nvcc was found; it runs what needs a driver, with a stand-in

# What a skipped test prints: whether that may be, by the tests that exist and those that ran.
REASONS = {
    "this build has no nvcc": lambda names, ran: WITH_NVCC not in names,
    "no GPU": lambda names, ran: WITH_NVCC not in names or WITH_NVCC in ran,
    "an NVIDIA driver is there": lambda names, ran: True,
    "the superuser may read everything": lambda names, ran: True,
    "needs h5py and numpy": lambda names, ran: True,
    r"(test_\w+|\w+_test)\.py needs .*": lambda names, ran: True,  # packages of Python: up to 3 GB
}
HIDDEN = re.compile(r"^(?:OK|FAILED) \(.*\bskipped=(\d+)", re.MULTILINE)  # unittest's last line: the file still passes


def reason_of(case: ElementTree.Element) -> str:
    """What the test said: gtest prints a line `…: Skipped` before it, the tests of Python `skipped: ` in the same line."""
    said = re.search(r": Skipped\s*\n\s*(.+)|^skipped: (.+)", case.findtext("system-out") or "", re.MULTILINE)
    return (said[1] or said[2]).strip() if said else case.get("status") or "no reason"


def violations(junit: str) -> list[str]:
    """One line per test that was not run without leave, and one for no tests at all."""
    cases = [case for case in ElementTree.fromstring(junit).iter("testcase") if case.get("name")]
    names = {case.get("name") for case in cases}
    skipped = {case.get("name"): reason_of(case) for case in cases
               if case.find("skipped") is not None or case.get("status") not in ("run", "fail")}
    ran = names - set(skipped)
    found = [] if cases else ["no test was run"]
    for case in cases:
        hidden = HIDDEN.search(case.findtext("system-out") or "")
        if hidden and case.get("name") in ran:
            found.append(f"{case.get('name')} ran without {hidden[1]} of its tests: put these into a file that names "
                         "what it needs (python/tests/run.py)")
    for name, reason in skipped.items():
        if not any(re.fullmatch(f"{text}(;.*)?", reason) and may(names, ran) for text, may in REASONS.items()):
            found.append(f"{name} was not run ({reason}): make it run, or give a reason that is true and in REASONS")
    return found


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: ci/check_skips.py CTEST.XML", file=sys.stderr)
        return 2
    path = pathlib.Path(arguments[0])
    if not path.is_file():
        print(f"ci/check_skips.py: {path} is not there; run ctest first", file=sys.stderr)
        return 1
    found = violations(path.read_text(encoding="utf-8"))
    for line in found:
        print(f"ci/check_skips.py: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
