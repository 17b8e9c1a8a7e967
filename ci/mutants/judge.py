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

HOLDS, BROKEN = 0, 1
FINDING = re.compile(r"the PTX machine found in \S+: ([a-z][a-z -]*): ")
REPLACED = "run in place of those built in"
BESIDE = "writes beside its output"  # the guard of core/call.cpp
GUARDS = "guards"
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


def stages(components: list[str], fused: bool, cases: int, schedules: int) -> list[Stage]:
    """Few values first, which are cheap; then races and unwritten reads, under several schedules; last all that a
    battery draws."""
    kernel = "cuda-host:fused" if fused else "cuda-host"
    battery = ("battery", *components, "--brief", "--quiet", "--json", "-", "--large", "1")
    values = (*battery, "--kernel", kernel, "--lanes", "boundary,special,exact", "--cases", str(cases))
    listed = [Stage("values", values)]
    if not fused:
        checked = (*battery, "--kernel", "cuda-host:checked", "--lanes", "boundary,special", "--cases",
                   str(max(cases // 4, 2)))
        listed += [Stage(f"checked, schedule {seed}", checked, seed) for seed in range(schedules)]
    guards = ("selftest", "--guards", "--quiet", "--components", *components)  # strides, threads, repetition
    return [*listed, Stage("every lane", (*battery, "--kernel", kernel)), Stage(GUARDS, guards)]


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


def judge(program: str, folder: pathlib.Path, through: list[Stage], limits: dict[str, float]) -> Outcome:
    """Error where a stage never loads the module: then it says nothing about the mutant."""
    began = time.monotonic()
    for stage in through:
        environment = {"PARITY_CUDA_MODULES": str(folder), "PARITY_PTX_SEED": str(stage.schedule)}
        status, out, err = run([program, *stage.arguments], limits.get(stage.name, 600.0), environment)
        if status is not None and REPLACED not in err:
            raise RuntimeError(f"{stage.name}: no kernel of {folder} was started; name the components that use it in "
                               f"ci/mutants/modules.py: {err.strip()}")
        kind, words = killed_by(status, out, err)
        if stage.name == GUARDS and status == BROKEN:
            kind, words = KIND_OF_GUARD, next((line for line in out.split("\n") if line.startswith("FAIL")), "")
        if kind:
            return Outcome(kind, stage.name, time.monotonic() - began, words)
    return Outcome("", "", time.monotonic() - began)
