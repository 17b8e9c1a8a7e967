#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that ci/check_skips.py accepts runs and true reasons, and fails on every other test that was not run."""
import contextlib
import io
import pathlib
import re
import subprocess
import tempfile
import unittest

import check_skips

RUN = '<testcase name="a.Test.Runs" status="run"/>'
FAILED = '<testcase name="a.Test.Fails" status="fail"><failure message=""/></testcase>'
DISABLED = '<testcase name="a.Test.Off" status="disabled"/>'
DRIVER_RAN = '<testcase name="cuda.driver" status="run"/>'
DRIVER_SKIPPED = '<testcase name="cuda.driver" status="notrun"><skipped message=""/></testcase>'


def skipped(said: str, name: str = "a.Test.Skips") -> str:
    return (f'<testcase name="{name}" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>'
            f"<system-out>[ RUN ] Test.Skips\n{said}\n[ SKIPPED ] Test.Skips</system-out></testcase>")


class CheckSkips(unittest.TestCase):
    def found(self, *cases: str) -> list[str]:
        return check_skips.violations(f"<testsuite>{''.join(cases)}</testsuite>")

    def test_accepts_what_ran_whether_it_passed_or_not(self):
        self.assertEqual(self.found(RUN, FAILED), [])

    def test_names_a_skip_and_a_disabled_test(self):
        self.assertIn("a.Test.Skips was not run (a rainy day)", self.found(RUN, skipped("a/b_test.cpp:3: Skipped\na rainy day"))[0])
        self.assertIn("a.Test.Skips was not run (notrun)", self.found(RUN, skipped(""))[0])
        self.assertIn("a.Test.Off was not run (disabled)", self.found(RUN, DISABLED)[0])

    def test_accepts_known_reasons_of_both_kinds_of_tests(self):
        self.assertEqual(self.found(RUN, skipped("a/b_test.cpp:3: Skipped\nthe superuser may read everything")), [])
        for file in ("test_op.py", "ggml_layouts_test.py"):
            self.assertEqual(self.found(RUN, skipped(f"skipped: {file} needs numpy; ci/setup.sh python has it")), [])

    def test_names_a_file_that_passes_without_some_of_its_tests(self):
        ran = '<testcase name="engines.taps" status="run"><system-out>s..\n\nOK ({})\n</system-out></testcase>'

        self.assertIn("engines.taps ran without 1 of its tests", self.found(ran.format("skipped=1"))[0])
        self.assertIn("ran without 4 of", self.found(ran.format("expected failures=1, skipped=4"))[0])
        self.assertEqual(self.found(ran.format("expected failures=1")), [])

    def test_a_build_with_nvcc_does_not_lack_it(self):
        without = skipped("a/b_test.cpp:3: Skipped\nthis build has no nvcc")

        self.assertEqual(self.found(RUN, without), [])
        self.assertIn("this build has no nvcc", self.found(RUN, DRIVER_RAN, without)[0])

    def test_what_needs_a_gpu_is_run_by_the_test_with_a_stand_in(self):
        without = skipped("a/b_test.cpp:3: Skipped\nno GPU")

        self.assertEqual(self.found(RUN, without), [])
        self.assertEqual(self.found(RUN, DRIVER_RAN, without), [])
        self.assertEqual(len(self.found(RUN, DRIVER_SKIPPED, without)), 2)

    def test_no_tests_at_all_are_not_green(self):
        self.assertEqual(self.found(), ["no test was run"])

    def test_every_reason_is_one_that_a_test_prints(self):
        root = pathlib.Path(__file__).resolve().parent.parent
        sources = subprocess.run(["git", "grep", "-h", "-e", "GTEST_SKIP", "-e", "skipped: "], cwd=root, text=True,
                                 capture_output=True, check=False).stdout
        for reason in check_skips.REASONS:
            if not reason.startswith("("):
                self.assertRegex(sources, rf'GTEST_SKIP\(\) << "{re.escape(reason)}"', reason)

    def test_the_program_fails_with_them(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "ctest.xml"
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(check_skips.main([str(path)]), 1)
                path.write_text(f"<testsuite>{skipped('')}</testsuite>", encoding="utf-8")
                self.assertEqual(check_skips.main([str(path)]), 1)
                self.assertEqual(check_skips.main([]), 2)
            self.assertIn("a.Test.Skips", said.getvalue())


if __name__ == "__main__":
    unittest.main()
