# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the program with one module replaced, stage by stage until something kills the mutant."""
import dataclasses
import json
import os
import pathlib
import re
import signal
import subprocess
import time

from mutants import modules

HOLDS, BROKEN = 0, 1
FINDING = re.compile(r"the PTX machine found in \S+: ([a-z][a-z -]*): ")
STARTED = re.compile(r"^parity: kernel (\w+) of \w+ is started$", re.MULTILINE)
BESIDE = "writes outside its output"  # the guard of core/call.cpp
VALUES, GUARDS = "values", "guards"
KIND_OF_ANY_ERROR, KIND_OF_TIMEOUT, KIND_OF_VALUES, KIND_OF_GUARD = "error", "timeout", "wrong values", "guard"


@dataclasses.dataclass(frozen=True)
class Stage:
    name: str
    arguments: tuple[str, ...]
    schedule: int = 0


@dataclasses.dataclass(frozen=True)
class Outcome:
    killed_by: str  # "" where it survives
    stage: str
    seconds: float
    detail: str = ""


@dataclasses.dataclass(frozen=True)
class Baseline:
    """What a stage does with a module as it is."""
    seconds: float
    started: frozenset[str]  # kernels of the module

    @property
    def limit(self) -> float:
        """Seconds after which a mutant counts as endless: also where the machine has other work meanwhile."""
        return 20 + 10 * self.seconds


@dataclasses.dataclass(frozen=True)
class Told:
    killed_by: str
    detail: str
    seconds: float
    started: frozenset[str]


def stages(module: modules.Module, cases: int, schedules: int) -> list[Stage]:
    """Few values first, which are cheap; then races and unwritten reads, under several schedules; last all that a
    battery draws."""
    battery = ("battery", *module.components, "--brief", "--quiet", "--json", "-", "--large", "1")
    values = (*battery, "--kernel", module.place(False), "--lanes", "boundary,special,exact", "--cases", str(cases))
    checked = (*battery, "--kernel", module.place(True), "--cases", str(max(cases // 4, 2)), "--lanes")
    # The lane boundary brings the tiles, which take most of the time. Races are found under any schedule, and a wait
    # that a warpgroup lacks is found under few; only tiles start the kernels of warpgroups.
    lanes = ["boundary,special" if seed == 0 or module.hopper else "anywhere,special" for seed in range(schedules)]
    guards = ("selftest", "--guards", "--quiet", "--components", *module.components)  # strides, threads, repetition
    return [Stage(VALUES, values), *(Stage(f"checked, schedule {seed}", (*checked, lanes[seed]), seed) for seed in range(schedules)),
            Stage("every lane", (*battery, "--kernel", module.place(False))), Stage(GUARDS, guards)]


def run(command: list[str], seconds: float, environment: dict[str, str]) -> tuple[int | None, str, str]:
    """Exit status, stdout, stderr; the status is None where the time was up and the whole group was ended."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                          start_new_session=True, env={**os.environ, **environment}) as child:
        try:
            out, err = child.communicate(timeout=seconds)
            return child.returncode, out, err
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            out, err = child.communicate()
            return None, out, err


def reason_of(text: str) -> str:
    """Why the first case failed, of the battery's JSON; what can be said where it is none."""
    try:
        components = json.loads(text)["components"]
        return next((c["first"]["tap"] + ": " + c["first"]["reason"] for c in components if "first" in c), "")
    except (ValueError, KeyError, TypeError):
        return ""


def killed_by(status: int | None, out: str, err: str) -> tuple[str, str]:
    """What kills the mutant in this run, and its words; "" if nothing does."""
    if status is None:
        return KIND_OF_TIMEOUT, ""
    if status == HOLDS:
        return "", ""
    reason = reason_of(out) or err.strip()[-300:]
    if match := FINDING.search(reason):
        return match[1], reason
    if BESIDE in reason:
        return KIND_OF_GUARD, reason
    wrong = status == BROKEN and not reason.startswith(": ")  # an error names no tap
    return (KIND_OF_VALUES if wrong else KIND_OF_ANY_ERROR), reason


def run_stage(program: str, folder: pathlib.Path, stage: Stage, seconds: float) -> Told:
    """Runs it with the modules of the folder in place of those built in."""
    began = time.monotonic()
    environment = {"PARITY_CUDA_MODULES": str(folder), "PARITY_PTX_SEED": str(stage.schedule)}
    status, out, err = run([program, *stage.arguments], seconds, environment)
    kind, words = killed_by(status, out, err)
    if stage.name == GUARDS and status == BROKEN:
        kind, words = KIND_OF_GUARD, next((line for line in out.split("\n") if line.startswith("FAIL")), "")
    return Told(kind, words, time.monotonic() - began, frozenset(STARTED.findall(err)))
