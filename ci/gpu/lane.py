#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The GPU lane; ci/gpu.sh says how it is called."""
from __future__ import annotations

import concurrent.futures
import fnmatch
import json
import os
import pathlib
import shutil
import sys

import machine
import summary
from parts import JUDGED, PARTS, TIMED
from run import ROOT, Lane

BUILT = ROOT / "build/release/cli/parity"
STAND_IN = ROOT / "build/release/optimized/driver_stand_in"
PASSED, FAILED, ABSENT = 0, 1, 4


def rehearsing(environment: dict[str, str]) -> dict[str, str]:
    before = environment.get("LD_LIBRARY_PATH")
    return environment | {"LD_LIBRARY_PATH": f"{STAND_IN}{':' + before if before else ''}"}


def pack(folder: pathlib.Path) -> int:
    """The program with the libraries that a bare machine lacks: all but those of the C library and the driver."""
    folder.mkdir(parents=True, exist_ok=True)
    files = machine.libraries(BUILT)
    for path in [BUILT, *files]:
        shutil.copy2(path, folder / path.name)
    (folder / "commit").write_text(machine.commit() + "\n", encoding="utf-8")
    print(f"{folder}: parity and {len(files)} libraries; PARITY_GPU_PROGRAM={folder}/parity ci/gpu.sh runs it")
    return PASSED


def tried(lane: Lane, name: str) -> None:
    """Runs a part. One that breaks costs no other part."""
    try:
        PARTS[name](lane)
    except Exception as error:  # pylint: disable=broad-except
        lane.add(summary.Part(name, "fail (the lane)", 0.0, f"{type(error).__name__}: {error}"))


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--list"]:
        print("\n".join(PARTS))
        return PASSED
    if arguments[:1] == ["--pack"] and len(arguments) == 2:
        return pack(pathlib.Path(arguments[1]))
    rehearsal = arguments[:1] == ["--rehearse"]
    wanted = arguments[rehearsal:] or ["*"]
    program = pathlib.Path(os.environ.get("PARITY_GPU_PROGRAM", BUILT)).resolve()
    out = pathlib.Path(os.environ.get("PARITY_GPU_OUT", ROOT / "build/gpu")).resolve()
    environment = machine.environment_for(program)
    environment = rehearsing(environment) if rehearsal else environment
    missing = machine.missing(program, STAND_IN if rehearsal else None, environment)
    if missing:
        print(f"ci/gpu.sh: error: {missing}", file=sys.stderr)
        return ABSENT
    lane = Lane(program, out, rehearsal, float(os.environ.get("PARITY_GPU_SECONDS", "600")), environment,
                machine.doctor(program, environment))
    out.mkdir(parents=True, exist_ok=True)
    where = machine.describe(lane.doctor, rehearsal, program.parent)
    (out / "environment.json").write_text(json.dumps(where, indent=2) + "\n", encoding="utf-8")
    chosen = [name for name in PARTS if any(fnmatch.fnmatch(name, glob) for glob in wanted)]
    with concurrent.futures.ThreadPoolExecutor(lane.beside()) as pool:
        list(pool.map(lambda name: tried(lane, name), [name for name in chosen if name in JUDGED]))
    for name in chosen:
        if name in TIMED:
            tried(lane, name)
    lane.parts.sort(key=lambda part: list(PARTS).index(max((name for name in PARTS if name in part.name), key=len)))
    if not lane.parts:
        print(f"ci/gpu.sh: error: no part matches {' '.join(wanted)}; see ci/gpu.sh --list", file=sys.stderr)
        return ABSENT
    (out / "summary.md").write_text(summary.markdown(where, lane.parts, out), encoding="utf-8")
    print(f"written: {out / 'summary.md'}")
    return FAILED if any(part.failed for part in lane.parts) else PASSED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
