#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Does `parity run` notice bugs planted in the recorded model, and name those that its catalogue of faults holds?

usage: study_plants.py --out DIR [--parity PROGRAM] [--only GLOB...] [--dtype T] [--seed N] [--judge-only]
Records every plant into DIR/<name> (PYTHON_5_12_0, …: the command of a Python with that release), judges each and prints a table.
exit status 1 when fewer than 80 % of the bugs that the catalogue holds are named, or a plant could not be recorded or judged."""

from __future__ import annotations

import argparse
import collections
import fnmatch
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass

from plants import PLANTS, Plant

HERE = os.path.dirname(os.path.abspath(__file__))
NAMED_SHARE = 0.8
NEWEST = {"m3": "5.12.0", "m2": "5.1.0", "text01": "4.56.2"}  # of plants that any release shows
NAMED = re.compile(r"\(([A-Za-z0-9_.-]+)\)(?:, only at the failing nodes)?; explains \d+ of \d+ failing taps")


@dataclass(frozen=True)
class Result:
    plant: Plant
    verdict: str
    tap: str  # of the first divergence
    found: str  # id of the fault that explains it
    text: str  # what the program says of it

    @property
    def flagged(self) -> bool:
        return self.verdict == "fail"

    @property
    def named(self) -> str:
        """right, wrong, not, and `uncatalogued`: named although the catalogue is said not to hold it."""
        if not self.found:
            return "not" if self.plant.fault else "-"
        return ("right" if self.found in self.plant.fault else "wrong") if self.plant.fault else "uncatalogued"


def record(plants: list[Plant], args: argparse.Namespace) -> bool:
    """Records all of them, one process per release; whether all could be."""
    by_release = collections.defaultdict(list)
    for plant in plants:
        by_release[plant.releases[0] if plant.releases else NEWEST[plant.model]].append(plant.name)
    complete = True
    for release, names in sorted(by_release.items()):
        variable = "PYTHON_" + release.replace(".", "_")
        if not os.environ.get(variable):
            sys.exit(f"study_plants.py: set {variable} to a Python with transformers {release}, "
                     "or leave these plants out with --only: "
                     + ", ".join(names))
        seed = ["--seed", str(args.seed)] if args.seed is not None else []
        command = [*os.environ[variable].split(), "-B", os.path.join(HERE, "record_plants.py"), "--out", args.out]
        complete &= subprocess.run([*command, "--dtype", args.dtype, *seed, *names], check=False).returncode == 0
    return complete


def judge(plant: Plant, args: argparse.Namespace) -> Result:
    command = [args.parity, "run", os.path.join(args.out, plant.name), "--quiet", "--json", "-"]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        report = json.loads(process.stdout)
    except ValueError:
        return Result(plant, "no report", "", "", (process.stderr.strip().splitlines() or [""])[-1])
    first = report["first_divergence"] or {}
    text = first.get("explanation", "")
    ids = NAMED.findall(text)
    return Result(plant, report["verdict"], first.get("tap", ""), ids[-1] if ids else "", text)


def table(results: list[Result]) -> None:
    print(f"{'plant':34} {'verdict':9} {'named':12} {'expected':34} {'explained as':30} first divergence")
    for r in sorted(results, key=lambda r: (r.named, r.plant.model)):
        expected = " ".join(r.plant.fault) or "-"
        print(f"{r.plant.name:34} {r.verdict:9} {r.named:12} {expected:34} {r.found or '-':30} {r.tap or r.text}")


def share(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({100 * part / whole:.1f} %)" if whole else "")


def summary(results: list[Result]) -> bool:
    """Prints the totals; whether the marks are reached."""
    flagged = [r for r in results if r.flagged]
    catalogued = [r for r in results if r.plant.fault]
    right = [r for r in catalogued if r.named == "right"]
    judged = all(r.verdict in ("pass", "fail", "mistrusted") for r in results)
    print(f"\nflagged: {share(len(flagged), len(results))}")
    print(f"named, of those that the catalogue holds: {share(len(right), len(catalogued))}; the mark is {NAMED_SHARE:.0%}")
    print(f"named, of those of them that are flagged: {share(len(right), sum(r.flagged for r in catalogued))}")
    for kind, title in (("wrong", "named wrongly"), ("uncatalogued", "named although not catalogued, to be judged by a person")):
        found = [r for r in results if r.named == kind]
        print(f"{title}: {len(found)}")
        for r in found:
            print(f"  {r.plant.name}: {r.plant.does}\n    {r.text}")
    return judged and len(right) >= NAMED_SHARE * len(catalogued)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", required=True, metavar="DIR", help="folder of the recordings")
    parser.add_argument("--parity", default=os.path.join(HERE, "../../build/release/cli/parity"), metavar="PROGRAM")
    parser.add_argument("--only", nargs="+", default=["*"], metavar="GLOB", help="names of plants")
    parser.add_argument("--dtype", choices=("bf16", "f32", "f64"), default="bf16",
                        help="working type for plants that show in any type")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--judge-only", action="store_true", help="record nothing; judge the recordings in DIR")
    args = parser.parse_args(arguments)
    plants = [plant for name, plant in PLANTS.items() if any(fnmatch.fnmatchcase(name, glob) for glob in args.only)]
    complete = args.judge_only or record(plants, args)
    results = [judge(plant, args) for plant in plants]
    table(results)
    return 0 if summary(results) and complete else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
