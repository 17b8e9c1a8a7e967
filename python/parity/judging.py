# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Judges a Python kernel, or a capture: on drawn cases of its component, or on the recorded calls of a golden."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

from parity import program, serving
from parity.kernels import Kernel
from parity.places import folder_of, place_of
from parity.verdicts import Broken, NotJudged, Verdict

LANES = ("boundary", "anywhere", "special", "exact", "large")


def judge(
    candidate,
    golden=None,
    *,
    cases: int | None = None,
    lanes=(),
    case: str | None = None,
    large: int | None = None,
    seed: int | None = None,
    brief: bool = False,
    select: str | None = None,
    mode: str | None = None,
    options=(),
    start: str | None = None,
    quiet: bool | None = None,
    raises: bool = True,
) -> Verdict:
    """Judges a kernel (a function with @parity.kernel), or a capture if `golden` is given.

    Without `golden`: drawn cases of the kernel's component, boundary shapes first. cases: of each type; lanes: some of
    boundary, anywhere, special, exact, large; case: one case as a failing line names it; large: large cases of each
    type; seed: of the cases; brief: end at the first failure.
    With `golden` (a folder, or the name of one that comes with parity): the kernel computes the calls of its component
    on recorded inputs, layer by layer. select: glob over taps; mode: isolated, chained or forced.
    start: "fork" or "fresh", an interpreter that loads the function's file; default: what this process allows.
    options: more words for the program (`parity battery --help`, `parity run --help`).

    Returns the verdict. Raises Broken (an AssertionError with the report) if it is wrong or not shown to be right, and
    NotJudged if no case was left; with raises=False the verdict says so.
    """
    if serving.in_worker():
        return Verdict("", None, 0)  # the kernel's file is loaded to serve it, and judges nothing
    lanes = [lanes] if isinstance(lanes, str) else list(lanes)
    drawn = {"--cases": cases, "--case": case, "--large": large, "--seed": seed, "--lanes": lanes or None}
    recorded = {"--select": select, "--mode": mode}
    _refuse(drawn if golden is not None else recorded, golden is not None)
    words = [
        str(word)
        for name, value in {**drawn, **recorded}.items()
        if value is not None
        for word in [name, *(value if isinstance(value, list) else [value])]
    ]
    words += ["--brief"] if brief else []
    words += ["--quiet"] if quiet or (quiet is None and not sys.stderr.isatty()) else []
    verdict = _verdict(candidate, golden, [*words, *map(str, options)], case is None, start)
    if raises and not verdict:
        raise (NotJudged if verdict.status == program.NOTHING else Broken)(verdict)
    return verdict


def _refuse(given: dict, golden: bool) -> None:
    """Raises TypeError for an option of the other kind of judgement."""
    for name, value in given.items():
        if value is not None:
            raise TypeError(
                f"judge: {name.lstrip('-')}= is for "
                + ("drawn cases, not for a golden" if golden else "the calls of a golden: give golden=…, too")
            )


def _verdict(candidate, golden, words: list[str], as_json: bool, start: str | None) -> Verdict:
    with tempfile.TemporaryDirectory(prefix="parity-") as scratch:
        report = os.path.join(scratch, "report.json")
        words = [*words, "--json", report] if as_json else words
        if isinstance(candidate, Kernel):
            head = ["battery"] if golden is None else ["run", str(folder_of(golden))]
            if golden is None and "--case" not in words:
                head.append(candidate.component)
            option = "--kernel" if golden is None else "--candidate"
            status, text = serving.run_with(candidate, lambda word: [*head, option, word, *words], start)
            text = named(text, candidate, golden is not None)
        elif golden is None:
            raise TypeError(
                f"judge takes a function with @parity.kernel, or a capture and golden=…, not {type(candidate).__name__}"
            )
        else:
            done = program.run(
                "run", folder_of(golden), "--candidate", f"capture:{place_of(candidate)}", *words, env=environment()
            )
            status, text = done.returncode, done.stdout
        document = pathlib.Path(report)
        return Verdict(text, json.loads(document.read_text(encoding="utf-8")) if document.is_file() else None, status)


def environment() -> dict[str, str]:
    """The report is as wide as the terminal that shows it."""
    return {**os.environ, "COLUMNS": os.environ.get("COLUMNS", str(shutil.get_terminal_size((100, 24)).columns))}


def named(text: str, kernel: Kernel, golden: bool) -> str:
    """The report with the kernel's name, and with the line that judges a failure again as it is typed in Python."""
    name = getattr(kernel, "__name__", "kernel")
    if not golden:
        text = re.sub(
            r"parity battery\s+(?:\\\s+)?--kernel\s+fd:\d+\s+(?:\\\s+)?--case\s+'?([^'\s]+)'?",
            lambda found: f'parity.judge({name}, case="{found.group(1)}")',
            text,
        )
    return re.sub(r"\bfd:\d+", f"python:{name}", text)
