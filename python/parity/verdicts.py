# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What the program said of a candidate."""

from __future__ import annotations

import html


class Verdict:
    """The report of one run. Its text, repr and page in a notebook are what the terminal shows.

    text: the program's report. report: report.json, or the JSON of the command, as a dict. status: the exit code.
    A verdict is true if parity holds.
    """

    def __init__(self, text: str, report: dict | None, status: int):
        self.text, self.report, self.status = text.rstrip(), report, status

    def __bool__(self) -> bool:
        return self.status == 0

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


class Broken(AssertionError):
    """The candidate is wrong, or not shown to be right. Its text is the report; `verdict` has it as data, too."""

    def __init__(self, verdict: Verdict):
        super().__init__(f"\n{verdict.text}")
        self.verdict = verdict

    @property
    def report(self) -> dict | None:
        return self.verdict.report


class NotJudged(Broken):
    """Nothing was judged: no case or tap was left for this candidate."""
