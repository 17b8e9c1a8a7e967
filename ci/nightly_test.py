#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that ci/nightly.sh runs every part, continues after a failure, resumes where it stopped and says what came out."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A parity that notes how it was called; fails where its arguments hold the word in the file `fail`, has no avx512_bf16.
STUB = """#!/bin/bash
here=$(dirname "$0")
if [[ $1 == doctor ]]; then [[ $PARITY_CPU_LEVEL != avx512_bf16 ]]; exit; fi
echo "$*" >>"$here/calls"
echo "some | table"
if [[ -s $here/fail && " $* " == *" $(<"$here/fail") "* ]]; then echo "FAIL  2 of 3"; echo "100 s, 3 MiB"; exit 1; fi
echo "PASS  3 of 3"
"""
# A python3 that prepares engines with the status in the file `prepared`, and fails to run them.
PYTHON = """#!/bin/bash
if [[ $1 != *engines/field.py ]]; then exec {python} "$@"; fi
if [[ $2 == --prepare ]]; then exit "$(<"$(dirname "$0")/prepared")"; fi
echo "no compiler"; exit 1
"""


class Nightly(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.stub = self.folder / "parity"
        self.stub.write_text(STUB, encoding="utf-8")
        self.stub.chmod(0o755)

    def run_parts(self, *parts: str, scale: str = "1", **more: str) -> subprocess.CompletedProcess:
        environment = os.environ | {"PARITY_NIGHTLY_PROGRAM": str(self.stub), "PARITY_NIGHTLY_SCALE": scale,
                                    "PARITY_NIGHTLY_OUT": str(self.folder / "out")} | more
        return subprocess.run([ROOT / "ci" / "nightly.sh", *parts], env=environment, capture_output=True, text=True,
                              check=False)

    def calls(self) -> list[str]:
        path = self.folder / "calls"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines

    def rows(self) -> dict[str, list[str]]:
        lines = (self.folder / "out" / "summary.md").read_text(encoding="utf-8").splitlines()[2:]
        cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        return {row[0]: row[1:] for row in cells}

    def fail(self, word: str) -> None:
        (self.folder / "fail").write_text(word, encoding="utf-8")

    def test_runs_the_full_counts_and_a_hundredth_of_them(self):
        self.assertEqual(self.run_parts("false-alarms", "calibration").returncode, 0)
        self.assertEqual(self.calls(), ["selftest --false-alarms 10000", "selftest --false-alarms 10000 --calibration"])
        self.assertEqual(self.run_parts("false-alarms", "corruptions-21", scale="0.01").returncode, 0)
        self.assertEqual(self.calls(), ["selftest --false-alarms 100", "selftest --corruptions 3 --seed 21 --explain"])

    def test_tries_the_cpu_kernels_at_every_level_that_there_is(self):
        self.assertEqual(self.run_parts("battery-cpu-*").returncode, 0)
        self.assertEqual(self.calls(), ["battery --kernel cpu --cases 1000"] * 2)
        self.assertEqual(list(self.rows()), ["battery-cpu-avx2", "battery-cpu-avx512"])

    def test_goes_on_behind_a_failure_and_fails_in_the_end(self):
        self.fail("--guards")
        done = self.run_parts("judges", "guards", "relations")
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed: guards", done.stderr)
        self.assertEqual(len(self.calls()), 3)
        self.assertEqual(self.rows()["relations"][::2], ["pass", "PASS 3 of 3"])
        self.assertEqual(self.rows()["guards"][::2], ["fail (1)", "FAIL 2 of 3"])
        self.assertIn("| guards | fail (1) |", done.stdout)

    def test_resumes_with_what_has_not_passed(self):
        self.fail("--guards")
        self.run_parts("judges", "guards")
        self.calls()
        self.fail("")
        done = self.run_parts("judges", "guards")
        self.assertEqual((done.returncode, self.calls()), (0, ["selftest --guards"]))
        self.assertEqual([row[0] for row in self.rows().values()], ["pass", "pass"])

    def test_begins_again_with_another_program(self):
        self.run_parts("judges")
        self.calls()
        self.stub.write_text(STUB + "# rebuilt\n", encoding="utf-8")
        self.assertEqual(self.run_parts("judges").returncode, 0)
        self.assertEqual(self.calls(), ["selftest --judges --faults *"])

    def test_refuses_a_part_that_there_is_not_and_a_scale_that_is_none(self):
        self.assertIn("no part matches battrey*", self.run_parts("battrey*").stderr)
        self.assertIn("use a number above 0", self.run_parts("judges", scale="0").stderr)
        self.assertIn("use a number above 0", self.run_parts("judges", scale="all").stderr)
        self.assertEqual(self.calls(), [])

    def test_leaves_out_only_what_is_not_here(self):
        python = self.folder / "python3"
        python.write_text(PYTHON.format(python=sys.executable), encoding="utf-8")
        python.chmod(0o755)
        path = f"{self.folder}:{os.environ['PATH']}"

        (self.folder / "prepared").write_text("77", encoding="utf-8")
        self.assertIn("no part matches engines", self.run_parts("engines", PATH=path).stderr)
        (self.folder / "prepared").write_text("1", encoding="utf-8")
        self.assertIn("failed: engines", self.run_parts("engines", PATH=path).stderr)
        self.assertEqual(self.rows()["engines"][::2], ["fail (1)", "no compiler"])

    def test_lists_parts_without_running_them(self):
        done = self.run_parts("--list")
        self.assertEqual(done.returncode, 0)
        self.assertLessEqual({"every-fixture", "battery-cpu-avx2", "fuzz", "asan"}, set(done.stdout.split()))
        self.assertEqual(self.calls(), [])

    def test_feeds_every_parser_that_has_a_fuzz_target(self):
        parsers = {path.name.removesuffix("_fuzz.cpp") for path in (ROOT / "fuzz").glob("*_fuzz.cpp")}
        parts = self.run_parts("--list").stdout.split()
        self.assertEqual({part for part in parts if part.startswith("fuzz-")}, {f"fuzz-{name}" for name in parsers})
        recipe = (ROOT / "fuzz" / "CMakeLists.txt").read_text(encoding="utf-8")
        for name in parsers:
            self.assertIn(f"parity_add_fuzz({name} ", recipe)
            self.assertTrue(any((ROOT / "fuzz" / "corpus" / name).iterdir()), f"{name} has no corpus")


if __name__ == "__main__":
    unittest.main()
