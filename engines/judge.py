# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Runs an adapter and lets `parity run` judge its capture; the result is what the table of the field shows."""

from __future__ import annotations

import datetime
import json
import pathlib
import subprocess
import time

from environments import BUILD, ROOT, Absent, environment
from registry import Engine, Run

LIMIT_S = 1800
ORDER = ("wrong", "rounds differently", "conforms", "not captured")


class Failed(Exception):
    """An adapter or the program ended with an error; the message holds its last lines."""


def run(command: list, what: str, allowed: tuple[int, ...] = (0,), **more) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=LIMIT_S, **more)
    if done.returncode not in allowed:
        tail = "\n  ".join((done.stdout + done.stderr).strip().splitlines()[-6:])
        raise Failed(f"{what} ended with {done.returncode}:\n  {tail}")
    return done.stdout


def components(report: dict) -> dict[str, str]:
    """What each component of the golden comes to: the worst of its taps."""
    found: dict[str, str] = {}
    for record in report["records"]:
        answer = {"pass": "rounds differently" if record["deviation"] else "conforms", "fail": "wrong"}.get(record["status"])
        known = found.get(record["component"], "not captured")
        if answer and ORDER.index(answer) < ORDER.index(known):
            found[record["component"]] = answer
    return {entry["component"]: found.get(entry["component"], "not captured") for entry in report["coverage"]}


def folder_of(golden: str) -> pathlib.Path:
    found = [ROOT / "golden" / part / golden for part in ("data", "cut") if (ROOT / "golden" / part / golden).is_dir()]
    if not found:
        raise Failed(f"no golden {golden} in golden/data or golden/cut")
    return found[0]


def judged(engine: Engine, one: Run, program: str) -> dict:
    """Makes the capture, judges it and returns the result; Absent or Failed say why there is none."""
    python, variables = environment(engine, one.version)
    golden, name = folder_of(one.golden), one.name(engine.name)
    capture, report = BUILD / "captures" / f"{name}.h5", BUILD / "reports" / f"{name}.json"
    for path in (capture, report):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
    globs = [word for option, taps in (("--only", one.only), ("--without", (*engine.without, *one.without)))
             for tap in taps for word in (option, tap)]
    run([program, "capture", "init", golden, capture, *globs], "parity capture init")
    began = time.monotonic()
    run([python, engine.adapter, capture, golden / "checkpoint", *one.options], f"the adapter of {name}", env=variables)
    seconds = time.monotonic() - began
    run([program, "run", golden, "--candidate", f"capture:{capture}", "--json", report, "--quiet"], "parity run", (0, 1, 5))
    read = json.loads(report.read_text())["goldens"][0]
    first = read.get("first_divergence") or {}
    return {
        "engine": engine.name, "label": one.label, "golden": one.golden, "oracle": read["oracle"], "system": read["system"],
        "class": read["class"].replace("_", " "), "components": components(read),
        "first": first.get("tap", ""), "causes": read.get("causes", []), "seconds": round(seconds, 1),
        "taps": read["taps"]["judged"], "not_shown": read.get("not_shown", []),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
    }


__all__ = ["Absent", "Failed", "judged"]
