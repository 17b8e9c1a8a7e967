#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that ci/readme_commands.py finds the commands, runs them as written and notices those that do not work."""
import pathlib
import tempfile
import unittest

import readme_commands as readme
from readme_commands import Command

PAGE = """text with `parity no line`
```
parity list faults                        # what it knows
cmake --preset dev
parity repro 'golden#tap'   # a name with a number sign [exit 1]
parity selftest             # everything [minutes]
PARITY_CPU_LEVEL=avx2 parity run \\
    golden   # two lines
```
parity outside
```text
parity holds: output of no command
```
```
parity list
```
```text
holds:  two
   words … end
```
| `parity show router` | `parity show COMPONENT`, `parity run …`, `parity diff` | `parity relations --faults` [minutes] |
| `parity run a --candidate torch` [exit 0 or 4] | `parity golden x` [not run: needs x] | [link](page.md) |
"""


def one(text: str, **marks) -> Command:
    return Command("docs/page.md", 1, text, **marks)


class Commands(unittest.TestCase):
    def setUp(self):
        self.found = readme.commands("page", PAGE)

    def test_are_lines_of_code_blocks_and_spans_of_tables(self):
        self.assertEqual([c.text for c in self.found], [
            "parity list faults", "parity repro 'golden#tap'", "parity selftest", "PARITY_CPU_LEVEL=avx2 parity run golden",
            "parity list", "parity show router", "parity relations --faults", "parity run a --candidate torch", "parity golden x"])

    def test_bear_marks(self):
        self.assertEqual([c.text for c in self.found if c.slow], ["parity selftest", "parity relations --faults"])
        self.assertEqual([c.status for c in self.found if c.status != (0,)], [(1,), (0, 4)])
        self.assertEqual([c.not_run for c in self.found if c.not_run], ["needs x"])

    def test_show_what_they_print(self):
        self.assertEqual([c.output for c in self.found if c.output], [("holds: two words", "end")])

    def test_are_slow_everywhere_if_marked_in_one_place(self):
        listed = readme.merged([one("parity relations --faults"), one("parity relations --faults", slow=True), one("parity a")])
        self.assertEqual([(c.text, c.slow) for c in listed], [("parity relations --faults", True), ("parity a", False)])

    def test_know_their_place(self):
        self.assertEqual(self.found[0].place, "page:3")

    def test_of_the_tree_are_many_and_none_is_a_form(self):
        listed = readme.all_commands(readme.ROOT)
        self.assertGreater(len(listed), 40)
        self.assertGreater(len({c.page for c in listed}), 6)
        self.assertEqual(readme.problems(listed), [])

    def test_that_cannot_be_typed_are_named(self):
        for text in ("parity run GOLDEN", "parity run …", "parity run --candidate capture:FILE"):
            self.assertIn("is a form", readme.problems([one(text)])[0], text)
        for text in ("parity list", "PARITY_CPU_LEVEL=avx2 parity list", "parity battery --case rms_norm:bf16:boundary:17:S1,H3"):
            self.assertNotIn("is a form", readme.problems([one(text)])[0], text)

    def test_must_stand_in_the_readme(self):
        self.assertEqual(readme.problems([one("parity list")]), ["README.md has no command that starts with parity"])


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.stub = self.folder / "stub"
        self.stub.write_text("#!/bin/bash\ncase $1 in fails) echo why >&2; exit 3;; lacks) exit 4;; sleeps) sleep 9;; sees) test -e $2;; "
                             "counts) test $# == 3;; prints) echo one; echo '  two'; echo three;; esac\n", encoding="utf-8")
        self.stub.chmod(0o755)
        self.work = self.folder / "work"
        readme.prepare(self.work, self.stub)

    def test_takes_a_command_that_ends_well(self):
        self.assertIsNone(readme.run(one("parity works"), self.work, 5))

    def test_names_the_status_and_the_reason(self):
        wrong = readme.run(one("parity fails"), self.work, 5)
        self.assertIn("exit status 3", wrong)
        self.assertIn("why", wrong)

    def test_wants_the_status_that_the_page_states(self):
        self.assertIsNone(readme.run(one("parity fails", status=(1, 3)), self.work, 5))
        self.assertIn("not 3", readme.run(one("parity works", status=(3,)), self.work, 5))

    def test_wants_the_output_that_the_page_shows(self):
        self.assertIsNone(readme.run(one("parity prints", output=("one two", "three")), self.work, 5))
        self.assertIn("page shows: two four", readme.run(one("parity prints", output=("two four",)), self.work, 5))

    def test_wants_no_output_where_a_library_is_absent(self):
        self.assertIsNone(readme.run(one("parity lacks", status=(1, 4), output=("two",)), self.work, 5))
        self.assertIn("page shows", readme.run(one("parity lacks", status=(4,), output=("two",)), self.work, 5))

    def test_ends_a_command_that_hangs(self):
        self.assertIn("mark it [minutes]", readme.run(one("parity sleeps"), self.work, 0.2))

    def test_has_the_goldens(self):
        self.assertIsNone(readme.run(one("parity sees golden/data/m3-text-bf16"), self.work, 5))

    def test_is_by_the_shell(self):
        self.assertIsNone(readme.run(one("parity counts 'one word' golden/cut/m[2]-fp8"), self.work, 5))

    def test_of_all_leaves_out_what_is_marked_and_names_what_fails(self):
        listed = [one("parity works"), one("parity fails", slow=True), one("parity fails", not_run="needs x")]
        self.assertEqual(readme.run_all(listed, str(self.stub), slow=False), [])
        self.assertIn("docs/page.md:1: parity fails", readme.run_all(listed, str(self.stub), slow=True)[0])


if __name__ == "__main__":
    unittest.main()
