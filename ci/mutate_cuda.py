#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Plants bugs that a seed draws in the CUDA kernels, and counts how many the harness finds (docs/mutants.md).

usage: ci/mutate_cuda.py [--count N] [--seed S] [--modules GLOB,...] [--only KEY] [--build FOLDER] [--json FILE]
exit status 0: at least 97 % of the mutants that are no equivalents are found, and at most 20 % are equivalents.
"""
import argparse
import collections
import fnmatch
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from mutants import draw, judge, modules

ROOT = pathlib.Path(__file__).resolve().parent.parent
EQUIVALENTS = ROOT / "ci/mutants_equivalent.json"
LEAST_FOUND, MOST_EQUIVALENT = 97.0, 20.0  # percent


class Bench:
    """Where mutants are built: a copy of the device sources, and a folder of modules that holds the mutant alone."""

    def __init__(self, work: pathlib.Path, build: pathlib.Path):
        self.build, self.tree, self.folder = build, work / "tree", work / "modules"
        shutil.copytree(ROOT / "optimized/cuda", self.tree / "optimized/cuda")
        self.folder.mkdir()
        self.originals: dict[str, str] = {}

    def compiled(self, module: modules.Module) -> str:
        """The PTX of the copy; "" where nvcc refuses it."""
        out = self.folder.parent / "mutant.ptx"
        compiler, *flags = modules.compile_command(self.build, module)
        source = self.tree / module.source.relative_to(ROOT)
        # The copy's headers come first: those of the repository would hide an edit.
        status, _, _ = judge.run([compiler, f"-I{self.tree}", *flags, "-o", str(out), str(source)], 900, {})
        return out.read_text(encoding="utf-8") if status == 0 else ""

    def original(self, module: modules.Module) -> str:
        if module.name not in self.originals:
            self.originals[module.name] = modules.meaning(self.compiled(module))
        return self.originals[module.name]

    def mutated(self, mutant: draw.Mutant) -> tuple[str, str]:
        """PTX of the mutant, and why there is none: "does not compile" or "same PTX"."""
        text = mutant.file.read_text(encoding="utf-8")
        if mutant.in_ptx:
            return mutant.edit.apply(text), ""
        copy = self.tree / mutant.file.relative_to(ROOT)
        copy.write_text(mutant.edit.apply(text), encoding="utf-8")
        made = self.compiled(mutant.module)
        copy.write_text(text, encoding="utf-8")
        if not made:
            return "", "does not compile"
        return (made, "") if modules.meaning(made) != self.original(mutant.module) else ("", "same PTX")

    def install(self, module: modules.Module, ptx: str) -> None:
        for old in self.folder.iterdir():
            old.unlink()
        (self.folder / module.ptx.name).write_text(ptx, encoding="utf-8")


class Study:
    def __init__(self, options: argparse.Namespace, bench: Bench):
        self.options, self.bench = options, bench
        self.equivalents = json.loads(EQUIVALENTS.read_text(encoding="utf-8"))
        self.limits: dict[str, dict[str, float]] = {}
        self.left_out: set[tuple[str, str]] = set()  # stages that a module as it is fails
        self.redrawn: collections.Counter = collections.Counter()
        self.rows: list[dict] = []

    def stages(self, module: modules.Module) -> list[judge.Stage]:
        listed = judge.stages(module.components, module.fused, self.options.cases, self.options.schedules)
        return [stage for stage in listed if (module.name, stage.name) not in self.left_out]

    def measure(self, module: modules.Module) -> None:
        """The module as it is must be green; a mutant gets ten times its time. Guards that it breaks say nothing
        about mutants: they are left out, which is printed."""
        self.bench.install(module, module.ptx.read_text(encoding="utf-8"))
        self.limits[module.name] = {}
        for stage in self.stages(module):
            outcome = judge.judge(self.options.program, self.bench.folder, [stage], {})
            if outcome.killed_by:
                told = f"{module.name} as it is fails in {stage.name}: {outcome.detail}"
                if stage.name != judge.GUARDS:
                    raise RuntimeError(told)
                print(f"left out: {told}", flush=True)
                self.left_out.add((module.name, stage.name))
            self.limits[module.name][stage.name] = 20 + 10 * outcome.seconds

    def judge(self, mutant: draw.Mutant, ptx: str) -> None:
        if mutant.module.name not in self.limits:
            self.measure(mutant.module)
        self.bench.install(mutant.module, ptx)
        outcome = judge.judge(self.options.program, self.bench.folder, self.stages(mutant.module),
                              self.limits[mutant.module.name])
        equivalent = self.equivalents.get(mutant.key, "")
        self.rows.append({"key": mutant.key, "module": mutant.module.name, "operator": mutant.operator,
                          "where": mutant.where, "before": mutant.before, "after": mutant.after,
                          "killed_by": outcome.killed_by, "stage": outcome.stage,
                          "seconds": round(outcome.seconds, 1), "detail": outcome.detail[:300],
                          "equivalent": equivalent})
        verdict = f"{outcome.killed_by} ({outcome.stage})" if outcome.killed_by else "SURVIVES"
        print(f"{len(self.rows):4} {verdict:32} {mutant.operator:24} {mutant.where}", flush=True)
        if not outcome.killed_by:
            print(f"     key {mutant.key}" + (f"\n     equivalent: {equivalent}" if equivalent else ""))
            for sign, lines in (("-", mutant.before), ("+", mutant.after)):
                print("\n".join(f"     {sign} {line}" for line in lines), flush=True)

    def write(self) -> None:
        """After each mutant: a study that is ended keeps what it has found."""
        if self.options.json:
            told = {"seed": self.options.seed, "redrawn": self.redrawn, "mutants": self.rows}
            self.options.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")

    def run(self, wanted: list[modules.Module]) -> None:
        until = time.monotonic() + 60 * self.options.minutes
        for mutant in draw.drawn(wanted, ROOT, self.options.seed):
            if len(self.rows) >= self.options.count or time.monotonic() > until:
                break
            if not fnmatch.fnmatch(mutant.key, self.options.only):
                continue
            ptx, why_not = self.bench.mutated(mutant)
            if why_not:
                self.redrawn[why_not] += 1
                continue
            self.judge(mutant, ptx)
            self.write()


def table(rows: list[dict], column: str) -> str:
    """Markdown: mutants and how many were found, by a column."""
    lines = [f"| {column} | mutants | found | equivalent | missed |", "|---|---|---|---|---|"]
    for name in sorted({row[column] for row in rows}):
        of = [row for row in rows if row[column] == name]
        found = sum(1 for row in of if row["killed_by"])
        equivalent = sum(1 for row in of if not row["killed_by"] and row["equivalent"])
        lines.append(f"| {name} | {len(of)} | {found} | {equivalent} | {len(of) - found - equivalent} |")
    return "\n".join(lines)


def score(rows: list[dict]) -> tuple[float, float]:
    """Percent found of those that are no equivalents, and percent of equivalents.

    RuntimeError where a mutant that was found is called equivalent."""
    wrong = [row["key"] for row in rows if row["killed_by"] and row["equivalent"]]
    if wrong:
        raise RuntimeError(f"{EQUIVALENTS.name} calls equivalent what was found: {', '.join(wrong)}; remove them")
    equivalent = sum(1 for row in rows if row["equivalent"])
    found = sum(1 for row in rows if row["killed_by"])
    return 100.0 * found / max(len(rows) - equivalent, 1), 100.0 * equivalent / max(len(rows), 1)


def holds(rows: list[dict]) -> bool:
    found, equivalent = score(rows)
    return bool(rows) and found >= LEAST_FOUND and equivalent <= MOST_EQUIVALENT


def summary(rows: list[dict], redrawn: collections.Counter) -> str:
    found, equivalent = score(rows)
    kinds = collections.Counter(row["killed_by"] for row in rows if row["killed_by"])
    again = ", ".join(f"{count} {why}" for why, count in sorted(redrawn.items())) or "none"
    parts = [table(rows, "operator"), table(rows, "module"), "| found by | mutants |\n|---|---|\n" +
             "\n".join(f"| {kind} | {count} |" for kind, count in kinds.most_common()), f"drawn again: {again}"]
    parts.append(f"{'PASS' if holds(rows) else 'FAIL'}  {sum(kinds.values())} of {len(rows)} mutants found, "
                 f"{found:.1f} % of those that differ (at least {LEAST_FOUND:.0f} %); "
                 f"{equivalent:.1f} % are equivalent (at most {MOST_EQUIVALENT:.0f} %)")
    return "\n\n".join(parts)


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="mutants that are judged")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--modules", default="*", help="globs of files of optimized/cuda, without .cu")
    parser.add_argument("--only", default="*", help="a glob over keys: */ptx *, or one mutant again")
    parser.add_argument("--cases", type=int, default=12, help="of each component and type")
    parser.add_argument("--schedules", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=1e9, help="no further mutant after these")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--program", default="")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args(arguments)
    options.program = options.program or str(options.build / "cli/parity")
    return options


def main(arguments: list[str]) -> int:
    options = parsed(arguments)
    globs = options.modules.split(",")
    wanted = [m for m in modules.found(ROOT, options.build) if any(fnmatch.fnmatch(m.name, glob) for glob in globs)]
    missing = [str(m.ptx) for m in wanted if not m.ptx.exists()]
    if not wanted or missing:
        print(f"ci/mutate_cuda.py: no PTX {' '.join(missing) or options.modules}; build {options.program} with nvcc",
              file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="parity-mutants-") as work:
        study = Study(options, Bench(pathlib.Path(work), options.build))
        try:
            study.run(wanted)
            print("\n" + summary(study.rows, study.redrawn))
        except (RuntimeError, OSError, subprocess.SubprocessError) as error:
            print(f"ci/mutate_cuda.py: {error}", file=sys.stderr)
            return 2
    return 0 if holds(study.rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
