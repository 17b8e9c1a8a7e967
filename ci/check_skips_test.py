#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that ci/check_skips.py accepts runs and listed skips, and fails on every other test that was not run."""
import contextlib
import io
import pathlib
import re
import tempfile
import unittest

import check_skips

RUN = '<testcase name="a.Test.Runs" status="run"/>'
FAILED = '<testcase name="a.Test.Fails" status="fail"><failure message=""/></testcase>'
SKIPPED = '<testcase name="a.Test.Skips" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>'
DISABLED = '<testcase name="a.Test.Off" status="disabled"/>'


class CheckSkips(unittest.TestCase):
    def found(self, *cases: str, allowed: dict[str, str] | None = None) -> list[str]:
        return check_skips.violations(f"<testsuite>{''.join(cases)}</testsuite>", allowed or {})

    def test_accepts_what_ran_whether_it_passed_or_not(self):
        self.assertEqual(self.found(RUN, FAILED), [])

    def test_names_a_skip_and_a_disabled_test(self):
        self.assertIn("a.Test.Skips was not run", self.found(RUN, SKIPPED)[0])
        self.assertIn("a.Test.Off was not run (disabled)", self.found(RUN, DISABLED)[0])

    def test_accepts_a_listed_skip_and_a_listed_test_that_ran(self):
        self.assertEqual(self.found(RUN, SKIPPED, allowed={"a.Test.Skips": "no such device"}), [])
        self.assertEqual(self.found(RUN, allowed={"a.Test.Runs": "not everywhere"}), [])

    def test_an_entry_of_the_list_must_be_a_test(self):
        self.assertIn("a.Test.Gone is on the list", self.found(RUN, allowed={"a.Test.Gone": "why"})[0])

    def test_no_tests_at_all_are_not_green(self):
        self.assertEqual(self.found(), ["no test was run"])

    def test_the_list_names_tests_of_the_tree_and_reasons(self):
        root = pathlib.Path(__file__).resolve().parent.parent
        for name, reason in check_skips.ALLOWED.items():
            if name.startswith("python."):
                self.assertTrue((root / f"python/tests/test_{name[7:]}.py").is_file(), name)
                continue
            folder, suite, test = name.split(".")
            sources = "".join(path.read_text(encoding="utf-8") for path in (root / folder).rglob("*_test.cpp"))
            self.assertRegex(sources, rf"TEST\w*\({re.escape(suite)}, {re.escape(test)}\)", name)
            self.assertGreater(len(reason), 10, name)

    def test_the_program_fails_with_them(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "ctest.xml"
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(check_skips.main([str(path)]), 1)
                path.write_text(f"<testsuite>{SKIPPED}</testsuite>", encoding="utf-8")
                self.assertEqual(check_skips.main([str(path)]), 1)
                self.assertEqual(check_skips.main([]), 2)
            self.assertIn("a.Test.Skips", said.getvalue())


if __name__ == "__main__":
    unittest.main()
