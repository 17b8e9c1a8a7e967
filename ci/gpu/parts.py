# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of the GPU lane: each runs a command, or states why it does not."""
from __future__ import annotations

import shutil
import sys

import counters
import machine
from run import ROOT, SEED, Lane

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")  # of compute-sanitizer


def battery(lane: Lane, kernel: str) -> None:
    """Judges every kernel on drawn cases, and compares its bits with those of the PTX machine."""
    name = "battery" if kernel == "cuda" else "battery-fused"
    few = ["--lanes", "boundary,exact"] if lane.rehearsal else []
    beside = kernel.replace("cuda", machine.twin(lane.doctor))
    lane.parity(name, ["battery", "--kernel", kernel, "--beside", beside, "--seed", str(SEED), "--cases",
                       lane.count(50, 2), *few, "--json", lane.file(f"{name}.json")], 180)


def guards(lane: Lane) -> None:
    """Runs every kernel under the guards, such as: a CUDA graph of a call gives the same bits as the call."""
    few = ["--components", "rms_norm", "moe_experts", "cache_append"] if lane.rehearsal else []
    lane.parity("guards", ["selftest", "--guards", "--backends", "cuda", *few, "--json", lane.file("guards.json")], 90)


def models(lane: Lane) -> None:
    """Judges the goldens; as many taps must be judged as golden/manifest-cuda-host.json requires of the PTX machine."""
    goldens = [ROOT / "golden/data/m3-text-bf16"] if lane.rehearsal else sorted(
        path for kind in ("data", "cut") for path in (ROOT / "golden" / kind).iterdir() if path.is_dir())
    held = [] if lane.rehearsal else ["--manifest", "golden/manifest-cuda-host.json"]
    lane.parity("models", ["run", *map(str, goldens), "--candidate", "cuda", *held, "--no-explain", "--json",
                           lane.file("models.json")], 150)


def library(lane: Lane) -> None:
    """NVIDIA's matrix products, which the program loads where they are."""
    if lane.has("library", "cublaslt", "cuBLASLt"):
        lane.parity("library", ["battery", "linear", "--kernel", "cublaslt", "--seed", str(SEED), "--cases",
                                lane.count(50, 2), "--json", lane.file("library.json")], 60)


def nccl(lane: Lane) -> None:
    """Two ranks, each on a GPU of its own, whose sums NCCL adds."""
    if not lane.has("nccl", "nccl", "NCCL"):
        return
    if not lane.rehearsal and machine.gpus(lane.environment) < 2:
        lane.skip("nccl", "two ranks need two GPUs")
        return
    lane.parity("nccl", ["run", "golden/data/m3-text-bf16", "--tp", "2", "--candidate", "cuda", "--nccl", "--mode",
                         "forced", "--no-explain"], 120, {"PARITY_STAND_IN_GPUS": "2"})


def recording(lane: Lane) -> None:
    """The original package on the GPU, recorded and judged."""
    why = machine.no_torch(lane.environment) or machine.no_oracle()
    if why:
        lane.skip("recording", why)
        return
    golden = lane.out / "recorded"
    shutil.rmtree(golden, ignore_errors=True)
    if lane.run("recording", [sys.executable, "-B", "golden/capture/capture_hf.py", "--device", "cuda", "--seed", "7",
                              "--out", str(golden)], 60):
        lane.parity("recording-run", ["run", str(golden)], 30)


def probe(lane: Lane) -> None:
    """Runs single instructions on this GPU and compares the results with those of an H100; other GPUs may differ."""
    if lane.rehearsal:
        lane.skip("probe", "a rehearsal has no GPU")
        return
    ask = [sys.executable, "-B", "ci/gpu/probe/probe.py"]
    if lane.run("probe", [*ask, "gpu", lane.file("probe.json.xz"), "--lanes", "256"], 90):
        lane.run("probe-beside", [*ask, "--beside", lane.file("probe.json.xz"), "ci/gpu/probe/h100.json.xz"], 30)


def sanitized(lane: Lane, tool: str) -> None:
    """Runs every kernel under a tool of compute-sanitizer, which should find no defect, as the PTX machine does."""
    program = shutil.which("compute-sanitizer", path=lane.environment.get("PATH"))
    if program is None or lane.rehearsal:
        lane.skip(tool, "compute-sanitizer is not installed" if program is None else "a rehearsal has no GPU")
        return
    few = ["--seed", str(SEED), "--cases", "2", "--lanes", "boundary"]
    lane.run(tool, [program, "--tool", tool, "--error-exitcode", "9", "--print-limit", "5", str(lane.program),
                    "battery", "--kernel", "cuda", *few, "--quiet"], 60)


def library_times(lane: Lane) -> None:
    """Times NVIDIA's matrix products, for comparison with ours in `times`."""
    if lane.rehearsal:
        lane.skip("library-times", "the stand-in of the library computes on the host, which a CUDA graph cannot record")
    elif lane.has("library-times", "cublaslt", "cuBLASLt"):
        lane.parity("library-times", ["bench", "linear/*", "--backend", "cublaslt", "--cold", "--samples", "10",
                                      "--seed", str(SEED), "--save", lane.file("library-times.json")], 60)


def sdpa(lane: Lane) -> None:
    """LibTorch's attention on the same GPU, which this program does not link."""
    why = machine.no_torch(lane.environment)
    if why:
        lane.skip("sdpa", why)
        return
    lane.run("sdpa", [sys.executable, "-B", "ci/gpu/sdpa.py", lane.file("sdpa.json")], 60)


def times(lane: Lane) -> None:
    """Cold times of all cases, taken as graphs in turns."""
    cases = "rms_norm/tokens-1/bf16/*" if lane.rehearsal else "*"
    lane.parity("times", ["bench", cases, "--backend", "cuda", "--cold", "--samples", lane.count(10, 5), "--seed",
                          str(SEED), "--save", lane.file("times.json")], 150)


def table(lane: Lane) -> None:
    """Times dense and sparse attention by context; neighbours select mostly the same blocks, as in trained models."""
    heads = "4,1,1" if lane.rehearsal else "64,4,4"
    seconds = int(min(90, lane.left() / 2))
    lane.parity("table", ["bench", "--table", "sdpa-msa", "--backend", "cuda", "--selection", "sticky", "--heads",
                          heads, "--most", lane.count(65536, 256), "--seconds", lane.count(seconds, 20), "--seed",
                          str(SEED), "--json", lane.file("table.json"), "--markdown", lane.file("table.md"),
                          "--svg", lane.file("table.svg")], 120)


def counted(lane: Lane) -> None:
    """Reads counters of the hardware, for comparison with those of the PTX machine."""
    ncu = shutil.which("ncu", path=lane.environment.get("PATH"))
    for case in counters.CASES[:-1] if lane.rehearsal else counters.CASES:
        name = counters.file_of(case)
        lane.parity(f"machine-counters-{name}", ["bench", f"{case}/cuda-host", "--counters", "--seed", str(SEED),
                                                 "--json", lane.file(f"machine-counters-{name}.json")], 60)
        if ncu is None or lane.rehearsal:
            lane.skip(f"gpu-counters-{name}", "ncu is not installed; it reads the counters of a GPU" if ncu is None else
                      "a rehearsal has no GPU")
            continue
        lane.run(f"gpu-counters-{name}", [ncu, *counters.OPTIONS, "--log-file", lane.file(f"gpu-counters-{name}.csv"),
                                          str(lane.program), "bench", "--counted", f"{case}/cuda", "--calls", "1"], 30)


# JUDGED run in parallel, because most of their time is spent on the host. TIMED run afterwards, one at a time.
JUDGED = {"battery": lambda lane: battery(lane, "cuda"), "battery-fused": lambda lane: battery(lane, "cuda:fused"),
          "guards": guards, "models": models, "library": library, "nccl": nccl, "recording": recording,
          "probe": probe,
          **{tool: lambda lane, tool=tool: sanitized(lane, tool) for tool in TOOLS}}
TIMED = {"sdpa": sdpa, "table": table, "counters": counted, "library-times": library_times, "times": times}
PARTS = JUDGED | TIMED
