#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that the capture scripts name the module that is missing, and how to install it."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "golden/capture"


def complaint(script: str, **modules: str) -> tuple[int, list[str]]:
    """Exit status and stderr of a script that finds these modules first, whatever is installed."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in modules.items():
            (pathlib.Path(folder) / f"{name}.py").write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, "-B", str(SCRIPTS / script)], capture_output=True, text=True, check=False,
                              env={**os.environ, "PYTHONPATH": folder})
        return done.returncode, done.stderr.splitlines()


def absent(name: str) -> str:
    return f"raise ModuleNotFoundError(\"No module named '{name}'\", name='{name}')\n"


class MissingModules(unittest.TestCase):
    def test_are_named_in_one_line(self):
        for script in ("capture_hf.py", "generate_hf.py"):
            status, lines = complaint(script, torch=absent("torch"))

            self.assertEqual(status, 1, script)
            self.assertEqual(len(lines), 1, lines)
            self.assertTrue(lines[0].startswith(f"{script}: No module named 'torch'; pip install "), lines[0])

    def test_are_those_that_are_missing(self):
        _, lines = complaint("capture_hf.py", torch="", safetensors=absent("safetensors"))

        self.assertIn("No module named 'safetensors'", lines[0])
        self.assertNotIn("No module named 'torch'", lines[0])


if __name__ == "__main__":
    unittest.main()
