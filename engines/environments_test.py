#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows when environments are made again, and which failures mean that a package cannot be had."""
import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import environments
import field
from processes import Absent, Failed
from registry import Engine, Run

NO_INDEX = ("WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError'\n"
            "ERROR: Could not find a version that satisfies the requirement x==1 (from versions: none)\n"
            "ERROR: No matching distribution found for x==1\n")
NO_COMPILER = "error: subprocess-exited-with-error\nERROR: Failed to build 'x' when building its wheel\n"


class InFolder(unittest.TestCase):
    def setUp(self):
        here = tempfile.TemporaryDirectory()
        self.addCleanup(here.cleanup)
        self.folder = pathlib.Path(here.name)


class Pip(InFolder):
    def said(self, text: str):
        done = subprocess.CompletedProcess([], 1, "", text)
        return mock.patch.object(environments, "finish", lambda *words, **more: done)

    def test_without_an_index_means_absent(self):
        with self.said(NO_INDEX), self.assertRaisesRegex(Absent, "cannot install x==1:\n.*\n.*from versions: none"):
            environments.pip(self.folder, "x==1")

    def test_that_cannot_build_a_package_is_a_failure_with_its_last_lines(self):
        with self.said(NO_COMPILER), self.assertRaisesRegex(Failed, "x==1:\n  error: subprocess.*\n  ERROR: Failed"):
            environments.pip(self.folder, "x==1")


class Installing(InFolder):
    def setUp(self):
        super().setUp()
        self.calls = []
        for name, stand_in in (("pip", lambda folder, *words: self.calls.append(words)), ("BUILD", self.folder)):
            patch = mock.patch.object(environments, name, stand_in)
            patch.start()
            self.addCleanup(patch.stop)

    def test_happens_once_for_a_list_of_packages(self):
        for wanted in (["x==1"], ["x==1"], ["x==1", "y"]):
            environments.install(wanted, False, self.folder / "env")

        self.assertEqual(self.calls, [("h5py", "numpy", "x==1"), ("h5py", "numpy", "x==1", "y")])

    def test_happens_again_if_it_was_interrupted(self):
        with mock.patch.object(environments, "pip", side_effect=Absent("no index")), self.assertRaises(Absent):
            environments.install(["x==1"], False, self.folder / "env")

        environments.install(["x==1"], False, self.folder / "env")
        self.assertEqual(len(self.calls), 1)

    def test_links_libraries_again_if_their_environment_is_gone(self):
        for name in ("first", "second"):
            library = self.folder / name / "lib/python3.11/site-packages/nvidia/cu13/lib/libcufile.so.0"
            library.parent.mkdir(parents=True)
            library.touch()
            environments.torch_libraries(self.folder / name)
        link = self.folder / "lib/libcufile.so.0"
        self.assertEqual((len(self.calls), link.resolve().parents[6].name), (1, "first"))
        link.resolve().unlink()

        environments.torch_libraries(self.folder / "second")

        self.assertEqual((len(self.calls), link.resolve()), (2, library.resolve()))


class Building(InFolder):
    def build(self, text: str) -> None:
        (self.folder / "bin").mkdir(exist_ok=True)
        (self.folder / "bin/python").unlink(missing_ok=True)
        (self.folder / "bin/python").symlink_to(sys.executable)
        script = self.folder / "script.py"
        script.write_text(text, encoding="utf-8")
        environments.build(str(script), "1.0", self.folder)

    def test_runs_the_script_with_release_and_environment(self):
        self.build("import sys; open(sys.argv[2] + '/log', 'a').write(sys.argv[1])")

        self.assertEqual((self.folder / "log").read_text(encoding="utf-8"), "1.0")

    def test_that_fails_is_a_failure_with_its_last_lines(self):
        with self.assertRaisesRegex(Failed, "script.py 1.0 ended with 1:\n  x.cpp:3: error\n  no compiler"):
            self.build("print('x.cpp:3: error'); raise SystemExit('no compiler')")

    def test_means_absent_only_if_the_script_says_so(self):
        with self.assertRaisesRegex(Absent, "no index"):
            self.build("import sys; print('no index', file=sys.stderr); raise SystemExit(77)")


class Preparing(unittest.TestCase):
    def status(self, *outcomes) -> int:
        wanted = [(Engine("made-up", (), ()), Run("1.0", "m3-even-f32"))] * len(outcomes)
        with mock.patch.object(field, "environment", side_effect=outcomes), contextlib.redirect_stderr(io.StringIO()):
            return field.prepare(wanted)

    def test_says_that_nothing_is_here_only_if_nothing_failed(self):
        self.assertEqual(self.status(Absent("no index"), Absent("no index")), 77)
        self.assertEqual(self.status(Absent("no index"), ("python", {})), 0)
        self.assertEqual(self.status(Absent("no index"), Failed("no compiler")), 1)
        self.assertEqual(self.status(("python", {}), Failed("no compiler")), 1)


if __name__ == "__main__":
    unittest.main()
