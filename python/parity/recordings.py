# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Causes of a failure, and two recordings compared."""

from __future__ import annotations

import json
import os
import pathlib
import tempfile

from parity import program
from parity.places import place_of
from parity.verdicts import Verdict


def diff(left, right, select: str = "*", rtol: float = 0.0) -> Verdict:
    """Compares two recordings (goldens or captures) without a reference: the first layer that diverges.

    rtol: largest difference that counts as equal, relative to the tap's largest magnitude. The verdict is true if they
    are equal.
    """
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "diff.json")
        done = program.run("diff", place_of(left), place_of(right), "--select", select, "--rtol", rtol, "--json", path)
        return Verdict(done.stdout, json.loads(pathlib.Path(path).read_text(encoding="utf-8")), done.returncode)


def explain(what, tap: str | None = None, *, candidate="golden") -> Verdict:
    """Looks for the cause of a failure: a known fault, a parameter, a rounding point, an operand, another release.

    what: a golden, or the Broken or Verdict of judge(…, golden=…). tap: a failing tap; default: the first divergence.
    candidate: with a golden: a path of a capture, or a word of `parity explain --candidate`.
    """
    report = getattr(what, "report", None)
    with tempfile.TemporaryDirectory() as scratch:
        if isinstance(report, dict):
            if "goldens" not in report:
                raise ValueError(
                    "a verdict on drawn cases has its cause in its text; explain takes a verdict on a golden"
                )
            asked = os.path.join(scratch, "report.json")
            pathlib.Path(asked).write_text(json.dumps(report), encoding="utf-8")
            words = [asked]
        else:
            word = str(candidate)
            words = [place_of(what), "--candidate", f"capture:{word}" if pathlib.Path(word).is_file() else word]
        done = program.run("explain", *words[:1], *([tap] if tap else []), *words[1:], "--quiet")
    return Verdict(done.stdout, None, done.returncode)
