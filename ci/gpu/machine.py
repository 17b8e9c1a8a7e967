# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What the GPU lane runs on, and what is missing there, in one line."""
from __future__ import annotations

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

QUERY = ("name", "driver_version", "memory.total", "clocks.sm", "clocks.mem", "clocks.max.sm", "temperature.gpu",
         "power.draw", "power.limit")
OF_THE_SYSTEM = ("libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "ld-linux", "libcuda.so")
TORCH = "import torch, sys; sys.exit(0 if torch.cuda.is_available() else 3)"
ORACLE = ("transformers", "safetensors", "h5py", "numpy")


def output(command: list[str], environment: dict[str, str] | None = None) -> str:
    """What a command prints, or nothing where it is missing or fails."""
    try:
        run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return run.stdout.strip() if run.returncode == 0 else ""


def environment_for(program: pathlib.Path) -> dict[str, str]:
    """Libraries that were packed beside the program are found first."""
    environment = dict(os.environ)
    if list(program.parent.glob("lib*.so*")):
        folders = [str(program.parent), *filter(None, [environment.get("LD_LIBRARY_PATH")])]
        environment["LD_LIBRARY_PATH"] = ":".join(folders)
    return environment


def libraries(program: pathlib.Path) -> list[pathlib.Path]:
    """The shared libraries of a program that a bare system lacks."""
    found = [line.split("=>")[1].split("(")[0].strip() for line in output(["ldd", str(program)]).splitlines()
             if "=>" in line]
    return [pathlib.Path(path) for path in found if path and not pathlib.Path(path).name.startswith(OF_THE_SYSTEM)]


def missing(program: pathlib.Path, stand_in: pathlib.Path | None, environment: dict[str, str]) -> str:
    """The first thing without which nothing runs; empty if all is there."""
    if not program.exists():
        return f"{program} is missing; build it with ci/demo.sh, or bring the folder of ci/gpu.sh --pack"
    absent = [line.split("=>")[0].strip() for line in output(["ldd", str(program)], environment).splitlines()
              if "not found" in line]
    if absent:
        return f"{program} needs {', '.join(absent)}; bring the folder of ci/gpu.sh --pack, which holds them"
    if stand_in is not None and not (stand_in / "libcuda.so.1").exists():
        return f"{stand_in}/libcuda.so.1 is missing; build the target parity_driver_stand_in (it needs nvcc)"
    run = subprocess.run([str(program), "battery", "silu", "--kernel", "cuda", "--cases", "1", "--quiet"],
                         capture_output=True, text=True, env=environment, check=False)
    return "" if run.returncode in (0, 1) else f"no kernel runs on a GPU here: {(run.stderr or run.stdout).strip()}"


def no_torch(environment: dict[str, str]) -> str:
    """Why PyTorch cannot use the GPU; empty if it can."""
    status = subprocess.run([sys.executable, "-c", TORCH], capture_output=True, env=environment, check=False).returncode
    return {0: "", 3: "PyTorch finds no GPU"}.get(status, "no PyTorch")


def no_oracle() -> str:
    absent = [name for name in ORACLE if not output([sys.executable, "-c", f"import {name}; print(1)"])]
    return f"no {', '.join(absent)}, which records the original" if absent else ""


def doctor(program: pathlib.Path, environment: dict[str, str]) -> list[str]:
    return output([str(program), "doctor"], environment).splitlines()


def of_backend(said: list[str], name: str) -> str:
    """What `parity doctor` says of a backend: its version, or why it is absent."""
    found = [line.strip()[len(name):].strip() for line in said if re.match(rf"\s*{re.escape(name)}\s", line)]
    return found[0] if found else f"this program has no backend {name}"


def gpus(environment: dict[str, str]) -> int:
    """How many there are."""
    return len(output(["nvidia-smi", "--list-gpus"], environment).splitlines())


def twin(said: list[str]) -> str:
    """The place of the PTX machine that runs what the GPU runs: kernels of 9.0 run on 9.0 alone."""
    hopper = any(re.match(r"\s+cuda +.*compute capability 9\.0", line) for line in said)
    known = any("cuda-host:sm90" in line for line in said)
    return "cuda-host:sm90" if hopper and known else "cuda-host"


def commit() -> str:
    """The commit of this repository; "changed" if files differ from it."""
    found = output(["git", "rev-parse", "HEAD"])
    return f"{found}{' (changed)' if output(['git', 'status', '--porcelain']) else ''}" if found else ""


def packed_commit(folder: pathlib.Path) -> str:
    """What --pack noted beside the program."""
    file = folder / "commit"
    return file.read_text(encoding="utf-8").strip() if file.exists() else ""


def describe(said: list[str], rehearsal: bool, folder: pathlib.Path) -> dict:
    gpu = output(["nvidia-smi", f"--query-gpu={','.join(QUERY)}", "--format=csv,noheader"])
    return {"rehearsal": rehearsal,
            "gpu": dict(zip(QUERY, map(str.strip, gpu.splitlines()[0].split(",")))) if gpu else {},
            "processor": platform.processor() or platform.machine(), "cores": os.cpu_count(),
            "commit": packed_commit(folder) or commit() or "unknown: no repository here",
            "doctor": said,
            "tools": {name: shutil.which(name) or "" for name in ("ncu", "nvidia-smi", "ptxas")}}
