#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Checks that the battery or the guards launch every CUDA kernel of the build.

No test can find a bug in a kernel that is never launched, so every mutant of it survives (docs/mutants.md). The kernels
are read from the PTX. The program prints which of them it launches.

usage: ci/check_started.py BUILD        exit status 1 and one line per kernel that is never launched
"""
import collections
import pathlib
import shutil
import sys
import tempfile

from mutants import judge, modules

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 1200.0
CASES = 24  # more than the first stage of the study draws: one profile in eighteen has binary32 rotary tables


def started(program: str, folder: pathlib.Path, of: list[modules.Module], name: str) -> frozenset[str]:
    """Kernels that the stage of this name starts, of modules that run at one place. Values are judged elsewhere."""
    like = next(stage for stage in judge.stages(of[0], CASES, 1) if stage.name == name)
    together = tuple(sorted({component for module in of for component in module.components}))
    own, arguments = tuple(of[0].components), like.arguments
    at = next(i for i in range(len(arguments)) if arguments[i: i + len(own)] == own)
    words = (*arguments[:at], *together, *arguments[at + len(own):])
    return judge.run_stage(program, folder, judge.Stage(name, words), SECONDS).started


def missing(program: str, folder: pathlib.Path, wanted: list[modules.Module]) -> list[str]:
    """MODULE: kernels that nothing starts, one line each."""
    by_place: dict[str, list[modules.Module]] = collections.defaultdict(list)
    for module in wanted:
        by_place[module.place(False)].append(module)
    seen = frozenset().union(*(started(program, folder, of, judge.VALUES) for of in by_place.values()))
    left = [module for module in wanted if module.entries - seen]
    if left:
        guarded = started(program, folder, left, judge.GUARDS)
        for module in left:
            for kernel in sorted((module.entries - seen) & guarded):
                print(f"{module.name}: only the guards launch {kernel}")
        seen |= guarded
    return [f"{module.name}: no stage launches {kernel}; add extents to cases/tiles.json, or operands to the recipe of "
            "the component (cases/drawn/)" for module in wanted for kernel in sorted(module.entries - seen)]


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    build = pathlib.Path(arguments[0])
    wanted = modules.found(ROOT, build)
    lost = [module.name for module in wanted if not module.ptx.exists()]
    if lost or not wanted:
        print(f"no PTX of {', '.join(lost) or 'any kernel'} in {build}; build it with nvcc (ci/setup.sh cuda)")
        return 1
    with tempfile.TemporaryDirectory(prefix="parity-started-") as place:
        for module in wanted:
            shutil.copy(module.ptx, place)
        wrong = missing(str(build / "cli/parity"), pathlib.Path(place), wanted)
    print("\n".join(wrong) or f"{sum(len(m.entries) for m in wanted)} kernels of {len(wanted)} modules are launched")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
