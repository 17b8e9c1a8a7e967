#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that ci/readme_commands.py finds the lines, runs them as written and notices those that do not work."""
import pathlib
import tempfile
import unittest

import readme_commands as readme

PAGE = """text with `parity no line`
```
parity list faults                        # what it knows
cmake --preset dev
parity repro 'golden#tap'   # a name with a number sign
```
parity outside
"""


class Commands(unittest.TestCase):
    def test_are_the_lines_of_code_blocks_without_comments(self):
        self.assertEqual(readme.commands(PAGE), ["parity list faults", "parity repro 'golden#tap'"])

    def test_of_the_readme_are_there_and_no_entry_is_stale(self):
        listed = readme.commands((readme.ROOT / "README.md").read_text(encoding="utf-8"))
        self.assertGreater(len(listed), 10)
        self.assertEqual(readme.problems(listed), [])

    def test_that_are_gone_make_their_entries_stale(self):
        found = readme.problems(["parity list faults"])
        self.assertTrue(any("SLOW lists 'parity selftest'" in line for line in found), found)
        self.assertTrue(any("'a.h5'" in line for line in found), found)
        self.assertEqual(readme.problems([])[0], "README.md has no line that starts with parity")


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        stub = self.folder / "stub"
        stub.write_text("#!/bin/bash\ncase $1 in fails) echo why >&2; exit 3;; sleeps) sleep 9;; sees) test -e $2;; "
                        "counts) test $# == 3;; esac\n", encoding="utf-8")
        stub.chmod(0o755)
        self.work = self.folder / "work"
        self.work.mkdir()
        readme.prepare(self.work, stub)

    def test_takes_a_line_that_ends_well(self):
        self.assertIsNone(readme.run("parity works", self.work, 5))

    def test_names_the_status_and_the_reason(self):
        wrong = readme.run("parity fails", self.work, 5)
        self.assertIn("exit status 3", wrong)
        self.assertIn("why", wrong)

    def test_ends_a_line_that_hangs(self):
        self.assertIn("took longer", readme.run("parity sleeps", self.work, 0.2))

    def test_has_the_goldens_and_the_reader_s_files(self):
        for name in ("golden/data/m3-text-bf16", "a.h5", "b.h5"):
            self.assertIsNone(readme.run(f"parity sees {name}", self.work, 5), name)

    def test_is_by_the_shell(self):
        self.assertIsNone(readme.run("parity counts 'one word' golden/cut/m[2]-fp8", self.work, 5))


if __name__ == "__main__":
    unittest.main()
