# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`pytest --parity` judges the kernels of a module, and shows a failure as the terminal does."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

NEEDS = ("numpy", "pytest")
PACKAGE = pathlib.Path(__file__).resolve().parent.parent
KERNELS = """
import numpy as np, parity

@parity.kernel("silu", types="f32")
def right(x):
    with np.errstate(all="ignore"):
        return x / (1 + np.exp(-x))

@parity.kernel("silu", types="f32")
def wrong(x):
    return np.abs(x)
"""
NORM = """
import numpy as np, parity, pytest

@parity.kernel("rms_norm", types="f32")
def norm(x, weight, *, eps, gain_offset):
    with np.errstate(all="ignore"):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * (gain_offset + weight)

@pytest.mark.parity(norm, cases=2, lanes=["boundary", "exact"])
def test_norm(parity_part):
    assert parity_part.judge()
"""
MARKED = """
import pytest
from test_kernels import right

@pytest.mark.parity(right, cases=2, lanes=["boundary", "exact"])
def test_right(parity_part):
    assert parity_part.judge()
"""


class Plugin(unittest.TestCase):
    def pytest(self, *words: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (
                ("test_kernels.py", KERNELS),
                ("test_marked.py", MARKED),
                ("test_norm.py", NORM),
            ):
                (pathlib.Path(folder) / name).write_text(text)
            done = subprocess.run(
                [
                    sys.executable,
                    "-B",
                    "-m",
                    "pytest",
                    "-p",
                    "parity.pytest_plugin",
                    "-p",
                    "no:cacheprovider",
                    "-v",
                    *words,
                ],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
                env={**os.environ, "PYTHONPATH": str(PACKAGE)},
            )
        return done.stdout + done.stderr

    def test_makes_a_test_of_each_type_and_lane(self):
        said = self.pytest("--parity", "--parity-cases", "4", "test_kernels.py", "-k", "right")
        for lane in ("boundary", "anywhere", "special", "exact", "large"):
            self.assertRegex(said, rf"right\[f32-{lane}\] PASSED")

    def test_shows_a_failure_as_the_terminal_does(self):
        said = self.pytest("--parity", "--parity-cases", "4", "test_kernels.py", "-k", "wrong and boundary")
        self.assertIn("wrong[f32-boundary] FAILED", said)
        self.assertIn("FAIL  ", said)
        self.assertIn("worst ", said)
        self.assertNotIn("raise (NotJudged", said)

    def test_gives_the_parts_of_a_kernel_to_a_test(self):
        said = self.pytest("test_marked.py")
        self.assertIn("test_right[f32-boundary] PASSED", said)
        self.assertIn("2 passed", said)

    def test_skips_a_part_without_cases_with_the_reason(self):
        said = self.pytest("-rs", "test_norm.py")
        self.assertIn("1 passed, 1 skipped", said)
        self.assertIn("has no cases of rms_norm", said)

    def test_judges_nothing_unasked(self):
        self.assertIn("no tests ran", self.pytest("test_kernels.py"))


if __name__ == "__main__":
    unittest.main()
