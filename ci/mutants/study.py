# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Judges mutants in the order in which they are drawn, and goes on where an earlier run ended."""
import argparse
import fnmatch
import time

from mutants import draw, judge, modules
from mutants.bench import Bench
from mutants.results import Results


class Study:
    def __init__(self, options: argparse.Namespace, bench: Bench, results: Results):
        self.options, self.bench, self.results = options, bench, results

    def baseline(self, module: modules.Module, stage: judge.Stage) -> judge.Baseline:
        """What the stage does with the module as it is: it must be green, under every schedule, or what the stage finds
        of mutants says nothing. Guards may be broken: then no kernel counts as started there, which is printed."""
        known = self.results.baseline(module.name, stage.name)
        if known:
            return known
        self.bench.install(module, module.ptx.read_text(encoding="utf-8"))
        told = judge.run_stage(self.options.program, self.bench.folder, stage, 3000.0)
        started = told.started
        if told.killed_by:
            words = f"{module.name} fails in {stage.name} without a mutation: {told.detail}"
            if stage.name != judge.GUARDS:
                raise RuntimeError(words)
            print(f"left out: {words}", flush=True)
            started = frozenset()
        made = judge.Baseline(told.seconds, started)
        self.results.keep_baseline(module.name, stage.name, made)
        return made

    def require_started(self, module: modules.Module) -> None:
        """What no stage starts is judged by nothing, whatever it is mutated to."""
        missing = set(module.entries)
        for stage in judge.stages(module, self.options.cases, self.options.schedules):
            missing -= self.baseline(module, stage).started
            if not missing:
                return
        raise RuntimeError(f"no stage launches {', '.join(sorted(missing))} of {module.name}; add extents to "
                           "cases/tiles.json, or operands to the recipe of the component (cases/drawn/)")

    def outcome(self, mutant: draw.Mutant, ptx: str) -> judge.Outcome:
        """Of the first stage that finds it. A stage that starts no mutated kernel cannot."""
        began = time.monotonic()
        kernels = {mutant.kernel} if mutant.kernel else mutant.module.entries
        for stage in judge.stages(mutant.module, self.options.cases, self.options.schedules):
            as_it_is = self.baseline(mutant.module, stage)
            if not kernels & as_it_is.started:
                continue
            self.bench.install(mutant.module, ptx)
            told = judge.run_stage(self.options.program, self.bench.folder, stage, as_it_is.limit)
            if told.killed_by:
                return judge.Outcome(told.killed_by, stage.name, time.monotonic() - began, told.detail)
        return judge.Outcome("", "", time.monotonic() - began)

    def judge(self, mutant: draw.Mutant, ptx: str) -> None:
        outcome = self.outcome(mutant, ptx)
        row = self.results.keep(mutant, outcome)
        verdict = f"{outcome.killed_by} ({outcome.stage})" if outcome.killed_by else "SURVIVES"
        print(f"{len(self.results.rows):4} {verdict:32} {outcome.seconds:5.0f} s  {mutant.operator:24} "
              f"{mutant.module.name} {mutant.where}", flush=True)
        if outcome.killed_by:
            return
        print(f"     key {mutant.key}" + (f"\n     equivalent: {row['equivalent']}" if row["equivalent"] else ""))
        for sign, lines in (("-", mutant.before), ("+", mutant.after)):
            print("\n".join(f"     {sign} {line}" for line in lines), flush=True)

    def run(self, wanted: list[modules.Module]) -> None:
        for module in wanted:
            self.require_started(module)
        until = time.monotonic() + 60 * self.options.minutes
        for mutant in draw.drawn(wanted, self.bench.root, self.options.seed):
            if len(self.results.rows) >= self.options.count or time.monotonic() > until:
                break
            if not fnmatch.fnmatch(mutant.key, self.options.only) or self.results.knows(mutant.key):
                continue
            ptx, why_not = self.bench.mutated(mutant)
            if why_not:
                self.results.draw_again(mutant.key, why_not)
            else:
                self.judge(mutant, ptx)
