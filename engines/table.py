# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""docs/field.md out of the results: for each engine and model what a component comes to, and bugs found again."""

from __future__ import annotations

import pathlib
import textwrap

from registry import Bug, Engine, Run

MODELS = {"minimax_m3_vl": "MiniMax-M3", "minimax_m2": "MiniMax-M2", "minimax_text_01": "MiniMax-Text-01"}
CELLS = {"conforms": "yes", "rounds differently": "rounds", "wrong": "**wrong**", "not captured": "-"}
HEAD = """# Engines of others

<!-- printed by engines/field.py -->

This page states whether released engines compute the MiniMax models correctly. Each engine ran unmodified on goldens
([glossary](glossary.md)), and `parity run` judged the values that the engine computed.
[engines.md](engines.md#engines-of-others) says how to repeat the runs, and how to add an engine.

A column of a result table is one run of an engine, named by release, options and golden. A row is one operation of the
model. For Triton kernels, the column name also states the version of Triton, and where the kernels ran: in Triton's
interpreter, or on the [PTX machine](ptx.md).

| cell | meaning |
|---|---|
| yes | right; if the engine claims to round like the original package, the bits are equal, too |
| rounds | right, but rounds or sums in another way than the original package ([classes](judging.md#three-answers)) |
| **wrong** | wrong under every accepted way to round; a table below the results states the cause |
| - | the engine does not expose these values |

The row `seconds` is the run time on a CPU, including loading of the model and writing of the values. It is not a
benchmark.
"""


def cause(entry: dict) -> str:
    return entry.get("fault") or entry.get("parameter") or entry.get("function") or entry.get("profile") or ""


def is_named(entry: dict, wanted: str) -> bool:
    """Whether a cause is the one wanted: a fault, a parameter, a profile or a piece of its text."""
    return wanted in cause(entry) or wanted in entry["text"]


def lines_of(adapter: str) -> int:
    return len(pathlib.Path(adapter).read_text(encoding="utf-8").splitlines())


def matrix(results: list[dict]) -> list[str]:
    """Components in rows, runs in columns."""
    names = sorted({name for one in results for name, cell in one["components"].items() if cell != "not captured"})
    head = [f"{result['label']}<br>{result['golden']}" for result in results]
    rows = ["| operation | " + " | ".join(head) + " |", "|---|" + "---|" * len(results)]
    for name in names:
        cells = [CELLS[result["components"].get(name, "not captured")] for result in results]
        rows.append(f"| `{name}` | " + " | ".join(cells) + " |")
    rows.append("| seconds | " + " | ".join(f"{result['seconds']:.1f}" for result in results) + " |")
    return rows


def reasons(engine: Engine, one: Run, result: dict) -> list[str]:
    """A line for each wrong cell: what it is, where in the release, what the report names."""
    rows = []
    for name in sorted(name for name, cell in result["components"].items() if cell == "wrong"):
        note = engine.note(one, name)
        why = f"{note.why} ({note.place})" if note else "not explained"
        rows.append(f"| {one.label} | {one.golden} | `{name}` | {why} |")
    return rows


def upstream(engine: Engine, one: Run, result: dict) -> list[str]:
    """What a report to the engine's authors needs, of every component that is wrong."""
    rows = []
    for name in sorted(name for name, cell in result["components"].items() if cell == "wrong"):
        note = engine.note(one, name)
        if note:
            named = next((entry["text"] for entry in result["causes"]), "no single known cause")
            rows += [f"### {engine.name} {one.label}: {name} is wrong", "",
                     f"- what: {note.why}", f"- where: {note.place}",
                     f"- first wrong tensor: {result['first']}, of {one.golden} ({result['oracle']})",
                     f"- what its values show: {named}", f"- command: engines/field.py {one.name(engine.name)}", ""]
    return rows


def linked(bug: Bug) -> str:
    return f"[{bug.what}]({bug.link})" if bug.link else bug.what


def section(engine: Engine, found: dict[str, dict]) -> list[str]:
    runs = [one for one in engine.runs if one.name(engine.name) in found]
    if not runs:
        return []
    lines = ["", f"## {engine.name}", "", f"Adapter: [{pathlib.Path(engine.adapter).name}](../engines/adapters/"
             f"{pathlib.Path(engine.adapter).name}), {lines_of(engine.adapter)} lines."]
    for system, title in MODELS.items():
        mine = [{**found[one.name(engine.name)], "label": one.label} for one in runs
                if found[one.name(engine.name)]["system"] == system]
        if mine:
            lines += ["", f"### {title} in {engine.name}", "", *matrix(mine)]
    wrong = [row for one in runs for row in reasons(engine, one, found[one.name(engine.name)])]
    if wrong:
        lines += ["", "| wrong in | golden | operation | cause (file and line of the release) |", "|---|---|---|---|",
                  *wrong]
    if engine.remarks:
        lines.append("")
        for remark in engine.remarks:
            lines += textwrap.wrap(remark, 118, initial_indent="- ", subsequent_indent="  ")
    return lines


def bug_row(engine: Engine, bug: Bug, found: dict[str, dict]) -> str:
    before, after = (found[one.name(engine.name)] for one in (bug.before, bug.after))
    named = [entry for entry in before["causes"] if bug.cause and is_named(entry, bug.cause)]
    named_as = next((cause(entry) or entry["text"] for entry in named), "not named")
    was, now = before["components"][bug.component], after["components"][bug.component]
    return (f"| {linked(bug)} | {engine.name} {bug.before.label} | `{bug.before.golden}` | {was}: "
            f"`{before['first']}` | {named_as} | {bug.after.label} | {now} |")


def found_again(bug: Bug, engine: Engine, found: dict[str, dict]) -> str:
    """"" if the bug is red and named before, and its component is not wrong after; else what is missing."""
    before, after = (found[one.name(engine.name)] for one in (bug.before, bug.after))
    if before["components"].get(bug.component) != "wrong":
        return f"{bug.before.label}: {bug.component} is {before['components'].get(bug.component)}, not wrong"
    if bug.cause and not any(is_named(entry, bug.cause) for entry in before["causes"]):
        return f"{bug.before.label}: {bug.cause} is not among the causes"
    if after["components"].get(bug.component) not in ("conforms", "rounds differently"):
        return f"{bug.after.label}: {bug.component} is {after['components'].get(bug.component)}"
    return ""


def page(engines: list[Engine], found: dict[str, dict]) -> str:
    lines = HEAD.splitlines()
    for engine in engines:
        lines += section(engine, found)
    ready = [(engine, bug) for engine in engines for bug in engine.bugs
             if all(one.name(engine.name) in found for one in (bug.before, bug.after))]
    if ready:
        lines += ["", "## Shipped bugs, found again", "",
                  "A later release of the engine fixed each bug of this table. On the same golden, `parity run` judged",
                  "the operation with the bug as wrong before the fix, and as right after the fix. The first wrong",
                  "tensor may belong to another bug of the same release.", "",
                  "| bug | release with the bug | golden | first wrong tensor | cause in the report | fixed in "
                  "| result after the fix |",
                  "|---|---|---|---|---|---|---|", *(bug_row(engine, bug, found) for engine, bug in ready)]
    if found:
        lines += ["", f"Latest run: {max(result['date'] for result in found.values())}."]
    return "\n".join(lines) + "\n"
