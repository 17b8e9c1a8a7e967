# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""For tests: runs an example as a user does."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def said(name: str) -> str:
    """What examples/python/NAME prints. Raises AssertionError with it if the example fails."""
    variables = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    command = [sys.executable, "-B", str(ROOT / "examples/python" / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
