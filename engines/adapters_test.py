#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that what adapters declare exists and is unambiguous, and that their options are known."""
import contextlib
import io
import pathlib
import sys
import unittest
from unittest import mock

import capture
import judge
import packages
import registry
from registry import Engine, Run


class Options(unittest.TestCase):
    KNOWN = {"attention": ("plain", "flash"), "release": ()}

    def test_are_read_by_name(self):
        self.assertEqual(registry.read_options(["release=1=2", "attention=flash"], self.KNOWN),
                         {"release": "1=2", "attention": "flash"})

    def test_that_are_unknown_are_refused(self):
        for words, message in (
            (["atention=flash"], "unknown option atention=flash; options are attention=…, release=…"),
            (["flash"], "unknown option flash"),
            (["attention=sdpa"], "unknown value attention=sdpa; values of attention are plain, flash"),
            (["release=1", "release=2"], "release is given twice"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                registry.read_options(words, self.KNOWN)

    def test_end_an_adapter_if_they_are_unknown(self):
        words = ["adapter", "a.h5", "checkpoint", "release=1", "cache=f8"]
        with mock.patch.object(sys, "argv", words), contextlib.redirect_stderr(io.StringIO()) as said, \
                self.assertRaises(SystemExit):
            capture.arguments("An adapter.", {"cache": ("f16", "f32")})

        self.assertIn("unknown value cache=f8; values of cache are f16, f32", said.getvalue())

    def test_of_a_run_are_those_of_its_engine(self):
        with self.assertRaisesRegex(ValueError, "unknown value cache=f8; values of cache are f16, f32"):
            Engine("made-up", (), (Run("1.0", "m3-even-f32", ("cache=f8",)),), options={"cache": ("f16", "f32")})


class Adapters(unittest.TestCase):
    def test_name_goldens_that_exist_or_are_recorded(self):
        for one in registry.engines():
            for run in one.all_runs():
                if run.golden not in judge.RECORDED:
                    self.assertTrue((judge.folder_of(run.golden) / "activations.h5").exists(), run)

    def test_give_every_run_a_name_of_its_own(self):
        names = [run.name(one.name) for one in registry.engines() for run in one.all_runs()]

        self.assertEqual(len(names), len(set(names)))

    def test_take_releases_of_unpacked_packages_from_one_place(self):
        texts = {path: path.read_text(encoding="utf-8") for path in (registry.HERE / "adapters").glob("*.py")}
        for version, _ in packages.PACKAGES.values():
            self.assertEqual([path.name for path, text in texts.items() if version in text], [])

    def test_pass_their_options_on(self):
        for one in registry.engines():
            text = pathlib.Path(one.adapter).read_text(encoding="utf-8")
            self.assertIn("captures.arguments(__doc__, ENGINE.options)", text)


if __name__ == "__main__":
    unittest.main()
