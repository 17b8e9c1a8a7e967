#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys
import tempfile
import unittest

import check_started
from mutants import modules

# A program of which the battery starts BATTERY, and the guards start GUARDS.
PROGRAM = """#!/bin/sh
case "$1" in battery) kernels="BATTERY" ;; *) kernels="GUARDS" ;; esac
for kernel in $kernels; do echo "parity: kernel $kernel of one is started" >&2; done
"""


class Started(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = pathlib.Path(place.name)
        (self.root / "optimized/cuda/norm").mkdir(parents=True)
        (self.root / "build/optimized/cuda").mkdir(parents=True)
        (self.root / "optimized/cuda/norm/one.cu").write_text("", encoding="utf-8")
        self.modules = modules.found(self.root, self.root / "build")
        text = "\n.visible .entry first(\n)\n{\n}\n.visible .entry second(\n)\n{\n}\n"
        self.modules[0].ptx.write_text(text, encoding="utf-8")

    def missing(self, battery: str, guards: str) -> list[str]:
        program = self.root / "program"
        program.write_text(PROGRAM.replace("BATTERY", battery).replace("GUARDS", guards), encoding="utf-8")
        program.chmod(0o755)
        return check_started.missing(str(program), self.root, self.modules)

    def test_names_what_nothing_starts(self):
        self.assertEqual(len(self.missing("first", "first")), 1)
        self.assertIn("one: no stage launches second", self.missing("first", "")[0])

    def test_is_content_with_battery_and_guards_together(self):
        self.assertEqual(self.missing("first second", ""), [])
        self.assertEqual(self.missing("first", "second"), [])


if __name__ == "__main__":
    sys.exit(unittest.main())
