#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Runs unmodified releases of other engines on goldens and judges them; writes docs/field.md.

usage: engines/field.py [NAME...]       runs whose names contain one of the words; without words all of them
       engines/field.py --list          names every run and every bug
       engines/field.py --prepare [NAME...]  only installs what the runs need
       engines/field.py --page          writes docs/field.md from the results that build/field holds
       engines/field.py --report        prints what a report to the authors needs, of every wrong cell
       engines/field.py --again [NAME...]  judges the captures of the latest runs again, as they are
exit status: 0 every wrong cell has a reason and every bug was found again; 1 not so, or a build, an adapter or --page
failed; 2 wrong usage; 77 nothing ran, because no index of packages or no PyTorch is here
The page is written only if no result that it shows gets lost. Environments, captures, reports and results lie below
build/field. Each release is installed there with pip."""

from __future__ import annotations

import argparse
import json
import sys

import page
import table
from environments import BUILD, ROOT, environment
from judge import judged
from processes import Absent, Failed, exit_on_signals
from registry import Engine, Run, engines

RESULTS = BUILD / "results.json"  # of the latest run of each name
PAGE = ROOT / "docs/field.md"


def read_results() -> dict[str, dict]:
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}


def unexplained(engine: Engine, one: Run, result: dict) -> list[str]:
    """What a reader has to look at: wrong cells without a reason, and taps that are missing without a declaration."""
    if one in [bug.before for bug in engine.bugs]:  # red on purpose: check_bugs looks at it
        return []
    found = [f"{component} is wrong, and no Note says why" for component, cell in result["components"].items()
             if cell == "wrong" and not engine.note(one, component)]
    return found + [f"not shown: {text}" for text in result["not_shown"]]


def run_all(wanted: list[tuple[Engine, Run]], program: str, known: dict[str, dict], again: bool) -> tuple[int, int]:
    """(runs that were judged, runs that need a look)"""
    done = bad = 0
    for engine, one in wanted:
        name = one.name(engine.name)
        try:
            result = judged(engine, one, program, known.get(name) if again else None)
        except Absent as error:
            print(f"{name}: skipped: {error}", file=sys.stderr)
            continue
        except Failed as error:
            print(f"{name}: error: {error}", file=sys.stderr)
            bad += 1
            continue
        done += 1
        known |= read_results() | {name: result}  # others may run beside this one
        RESULTS.write_text(json.dumps(known, indent=1, sort_keys=True), encoding="utf-8")
        print(f"{name}: {result['class']}, {result['taps']} taps, {result['seconds']} s {result['first']}", flush=True)
        for text in unexplained(engine, one, result):
            print(f"   {text}")
            bad += 1
    return done, bad


def prepare(wanted: list[tuple[Engine, Run]]) -> int:
    """Installs the environments; 1 if one cannot be made, 77 if none can be had."""
    ready = bad = 0
    for engine, one in wanted:
        try:
            environment(engine, one)
            ready += 1
        except Absent as error:
            print(f"{one.name(engine.name)}: skipped: {error}", file=sys.stderr)
        except Failed as error:
            print(f"{one.name(engine.name)}: error: {error}", file=sys.stderr)
            bad += 1
    return 1 if bad else 0 if ready else 77


def check_bugs(known: dict[str, dict]) -> int:
    """Prints the bugs that were not found again; returns their number."""
    bad = 0
    for engine in engines():
        for bug in engine.bugs:
            if all(one.name(engine.name) in known for one in (bug.before, bug.after)):
                missing = table.found_again(bug, engine, known)
                print(f"bug NOT found: {bug.what}: {missing}" if missing else f"bug found again: {bug.what}")
                bad += bool(missing)
    return bad


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--parity", default=str(ROOT / "build/release/cli/parity"), help="the program that judges")
    given = parser.parse_args()
    every = [(engine, one) for engine in engines() for one in engine.all_runs()]
    if given.list:
        print("\n".join(one.name(engine.name) for engine, one in every))
        return 0
    known = read_results()
    if given.page:
        return 0 if page.write(PAGE, engines(), known) else 1
    if given.report:
        print("\n".join(line for engine, one in every if one.name(engine.name) in known
                        for line in table.upstream(engine, one, known[one.name(engine.name)])))
        return 0
    wanted = [(e, one) for e, one in every if (not given.names or any(word in one.name(e.name) for word in given.names))
              and (not given.again or one.name(e.name) in known)]
    strange = [word for word in given.names if not any(word in one.name(e.name) for e, one in every)]
    if strange or not wanted:
        print(f"no run is called like {', '.join(strange or given.names)}; --list names them", file=sys.stderr)
        return 2
    if given.prepare:
        return prepare(wanted)
    done, bad = run_all(wanted, given.parity, known, given.again)
    bad += check_bugs(known)
    page.write(PAGE, engines(), known)
    return 1 if bad else 0 if done else 77


if __name__ == "__main__":
    exit_on_signals()
    sys.exit(main())
