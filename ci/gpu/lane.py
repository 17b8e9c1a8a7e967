#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of the GPU lane, and what they may cost; ci/gpu.sh says how it is called."""
from __future__ import annotations

import dataclasses
import fnmatch
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import counters
import machine
import summary

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SEED = 1  # of the host lane: ctest's batteries draw the same cases
BUILT = ROOT / "build/release/cli/parity"
STAND_IN = ROOT / "build/release/optimized/driver_stand_in"
PASSED, FAILED, ABSENT = 0, 1, 4


@dataclasses.dataclass
class Lane:
    """One run: the program, where it writes, and whether a GPU is there."""

    program: pathlib.Path
    out: pathlib.Path
    rehearsal: bool
    seconds: float
    environment: dict[str, str]
    doctor: list[str]  # what `parity doctor` says
    began: float = dataclasses.field(default_factory=time.monotonic)
    parts: list[summary.Part] = dataclasses.field(default_factory=list)

    def left(self) -> float:
        return self.seconds - (time.monotonic() - self.began)

    def count(self, full: int, rehearsed: int) -> str:
        return str(rehearsed if self.rehearsal else full)

    def run(self, name: str, command: list[str], limit: float) -> None:
        """Runs a part; its output is out/NAME.log."""
        limit = min(limit, self.left())
        if limit < 1:
            self.skip(name, "no time left")
            return
        began = time.monotonic()
        plain = command[0] == sys.executable  # libraries packed beside the program are not those that Python expects
        with open(self.out / f"{name}.log", "w", encoding="utf-8") as log:
            try:
                status = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, cwd=ROOT,
                                        env=None if plain else self.environment,
                                        timeout=limit, check=False).returncode
            except subprocess.TimeoutExpired:
                status = f"not done after {limit:.0f} s"
        line = summary.last_line(self.out / f"{name}.log")
        self.add(summary.Part(name, "pass" if status == 0 else f"fail ({status})", time.monotonic() - began, line))

    def skip(self, name: str, why: str) -> None:
        self.add(summary.Part(name, "not run", 0.0, why))

    def add(self, part: summary.Part) -> None:
        print(f"[{time.monotonic() - self.began:3.0f}s] {part.name}: {part.result}  {part.line}", flush=True)
        self.parts.append(part)


def battery(lane: Lane, kernel: str) -> None:
    """Judges every kernel on drawn cases, and compares its bits with those of the PTX machine."""
    name = "battery" if kernel == "cuda" else "battery-fused"
    other = kernel.replace("cuda", machine.twin(lane.doctor))
    lane.run(name, [str(lane.program), "battery", "--kernel", kernel, "--beside", other, "--seed", str(SEED), "--cases",
                    lane.count(50, 2), *(["--lanes", "boundary,exact"] if lane.rehearsal else []), "--quiet", "--json",
                    str(lane.out / f"{name}.json")], 180)


def guards(lane: Lane) -> None:
    """Every kernel under the guards: as a graph that is launched again over poison, it has the bits of a call."""
    few = ["--components", "rms_norm", "moe_experts", "cache_append"] if lane.rehearsal else []
    lane.run("guards", [str(lane.program), "selftest", "--guards", "--backends", "cuda", *few, "--quiet", "--json",
                        str(lane.out / "guards.json")], 90)


def models(lane: Lane) -> None:
    """Judges the goldens, with as many taps as the PTX machine has to hold."""
    goldens = [ROOT / "golden/data/m3-text-bf16"] if lane.rehearsal else sorted(
        path for kind in ("data", "cut") for path in (ROOT / "golden" / kind).iterdir() if path.is_dir())
    held = [] if lane.rehearsal else ["--manifest", "golden/manifest-cuda-host.json"]
    lane.run("models", [str(lane.program), "run", *map(str, goldens), "--candidate", "cuda", *held, "--quiet",
                        "--no-explain", "--json", str(lane.out / "models.json")], 150)


def times(lane: Lane) -> None:
    """Cold times of all cases, taken as graphs in turns, and the table of dense against sparse attention."""
    cases = "rms_norm/tokens-1/bf16/*" if lane.rehearsal else "*"
    lane.run("times", [str(lane.program), "bench", cases, "--backend", "cuda", "--cold", "--samples",
                       lane.count(10, 5), "--seed", str(SEED), "--quiet", "--save", str(lane.out / "times.json")], 150)
    lane.run("table", [str(lane.program), "bench", "--table", "sdpa-msa", "--backend", "cuda", "--most",
                       lane.count(65536, 256), "--seconds", lane.count(90, 20), "--heads", "4,1,1" if lane.rehearsal else
                       "64,4,4", "--seed", str(SEED), "--quiet", "--json", str(lane.out / "table.json"), "--markdown",
                       str(lane.out / "table.md"), "--svg", str(lane.out / "table.svg")], 120)


def sdpa(lane: Lane) -> None:
    """LibTorch's attention on the same GPU, which this program does not link."""
    why = machine.no_torch(lane.environment)
    if why:
        lane.skip("sdpa", why)
        return
    lane.run("sdpa", [sys.executable, "-B", "ci/gpu/sdpa.py", str(lane.out / "sdpa.json")], 60)


def counted(lane: Lane) -> None:
    """Counters of the hardware beside those of the PTX machine."""
    ncu = shutil.which("ncu", path=lane.environment.get("PATH"))
    for case in counters.CASES[:-1] if lane.rehearsal else counters.CASES:
        name = counters.file_of(case)
        lane.run(f"machine-counters-{name}", [str(lane.program), "bench", f"{case}/cuda-host", "--counters", "--seed",
                                              str(SEED), "--quiet", "--json",
                                              str(lane.out / f"machine-counters-{name}.json")], 60)
        if ncu is None or lane.rehearsal:
            lane.skip(f"gpu-counters-{name}", "no ncu, which reads a GPU's counters" if ncu is None else
                      "a rehearsal has no GPU whose counters could be read")
            continue
        lane.run(f"gpu-counters-{name}", [ncu, *counters.OPTIONS, "--log-file", str(lane.out / f"gpu-counters-{name}.csv"),
                                          str(lane.program), "bench", "--counted", f"{case}/cuda", "--calls", "1"], 30)


def recording(lane: Lane) -> None:
    """The original package on the GPU, recorded and judged."""
    why = machine.no_torch(lane.environment) or machine.no_oracle()
    if why:
        lane.skip("recording", why)
        return
    golden = lane.out / "recorded"
    shutil.rmtree(golden, ignore_errors=True)
    lane.run("recording", [sys.executable, "-B", "golden/capture/capture_hf.py", "--device", "cuda", "--seed", "7",
                           "--out", str(golden)], 60)
    lane.run("recorded-run", [str(lane.program), "run", str(golden), "--quiet"], 30)


def library(lane: Lane) -> None:
    """NVIDIA's matrix products, which the program loads where they are: judged, and timed beside ours."""
    said = machine.of_backend(lane.doctor, "cublaslt")
    if not said.startswith("cuBLASLt"):
        lane.skip("library", said)
        return
    lane.run("library", [str(lane.program), "battery", "linear", "--kernel", "cublaslt", "--seed", str(SEED), "--cases",
                         lane.count(50, 2), "--quiet", "--json", str(lane.out / "library.json")], 60)
    if lane.rehearsal:
        lane.skip("library-times", "the stand-in of the library computes on the host, which no graph holds")
        return
    lane.run("library-times", [str(lane.program), "bench", "linear/*", "--backend", "cublaslt", "--cold", "--samples",
                               "10", "--seed", str(SEED), "--quiet", "--save", str(lane.out / "library-times.json")], 60)


def nccl(lane: Lane) -> None:
    """Two ranks, each on a GPU of its own, whose sums NCCL adds."""
    said = next((line[4:].strip() for line in lane.doctor if line.startswith("nccl ")), "not told by parity doctor")
    if not said.startswith("NCCL"):
        lane.skip("nccl", said)
        return
    gpus = 2 if lane.rehearsal else machine.gpus(lane.environment)
    if gpus < 2:
        lane.skip("nccl", "two ranks need two GPUs")
        return
    lane.environment["PARITY_STAND_IN_GPUS"] = "2"
    lane.run("nccl", [str(lane.program), "run", "golden/data/m3-text-bf16", "--tp", "2", "--candidate", "cuda", "--nccl",
                      "--mode", "forced", "--quiet", "--no-explain"], 120)
    del lane.environment["PARITY_STAND_IN_GPUS"]


PARTS = {"battery": lambda lane: battery(lane, "cuda"), "battery-fused": lambda lane: battery(lane, "cuda:fused"),
         "guards": guards, "library": library, "nccl": nccl, "models": models, "times": times, "sdpa": sdpa,
         "counters": counted, "recording": recording}


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
    for name, part in PARTS.items():
        if any(fnmatch.fnmatch(name, glob) for glob in wanted):
            part(lane)
    if not lane.parts:
        print(f"ci/gpu.sh: error: no part matches {' '.join(wanted)}; see ci/gpu.sh --list", file=sys.stderr)
        return ABSENT
    (out / "summary.md").write_text(summary.markdown(where, lane.parts, out), encoding="utf-8")
    print(f"written: {out / 'summary.md'}")
    return FAILED if any(part.failed for part in lane.parts) else PASSED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
