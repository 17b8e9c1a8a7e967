# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The Python of docs/python.md runs as it is written, in one folder, block after block."""

import os
import pathlib
import re
import tempfile
import unittest

NEEDS = ("numpy", "h5py", "torch", "pytest")
PAGE = pathlib.Path(__file__).resolve().parent.parent.parent / "docs/python.md"


class Page(unittest.TestCase):
    def test_runs_as_it_is_written(self):
        text = PAGE.read_text(encoding="utf-8")
        blocks = [
            (text[: found.start()].count("\n") + 2, found.group(1))
            for found in re.finditer(r"```python\n(.*?)```", text, re.DOTALL)
        ]
        self.assertGreater(len(blocks), 4)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as scratch:
            self.addCleanup(os.chdir, before)
            os.chdir(scratch)
            names: dict = {"__name__": "page"}
            for line, block in blocks:
                if block.startswith("# test_"):
                    continue  # test_pytest_plugin.py runs such a file
                with self.subTest(line=line):
                    exec(compile("\n" * (line - 1) + block, str(PAGE), "exec"), names)
            os.chdir(before)


if __name__ == "__main__":
    unittest.main()
