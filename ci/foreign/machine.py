# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Launches on the PTX machine: once as fast as it goes, then with checks and drawn schedules, and what came of it."""
import ctypes
import json
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass, field

import numpy as np
from packages import BUILD

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/release/optimized/ptx/parity_ptx"
SEEDS = (1, 2, 3)


class Refused(Exception):
    """The machine does not execute the kernel, or the launch does not fit it."""


@dataclass
class Run:
    """One launch: its counts, and the findings of all checked runs, each once."""

    kernel: str
    instructions: int
    seconds: float
    findings: dict[str, str] = field(default_factory=dict)
    other_bits: int = 0  # checked runs whose outputs differ from those of the plain one


@dataclass
class Memory:
    """A range of this process that the kernel sees as a buffer; `unwritten`: nobody has written it yet."""

    address: int
    size: int
    unwritten: bool = False

    def view(self) -> np.ndarray:
        return np.ctypeslib.as_array((ctypes.c_uint8 * self.size).from_address(self.address))


def memory_of(array: np.ndarray, unwritten: bool = False) -> Memory:
    return Memory(array.ctypes.data, array.nbytes, unwritten)


def session(description: dict, folder: pathlib.Path, seconds: int = 300) -> dict:
    (folder / "run.json").write_text(json.dumps(description))
    done = subprocess.run([PROGRAM, folder / "run.json"], capture_output=True, text=True, timeout=seconds)
    if done.returncode > 1 or not done.stdout:
        raise Refused(done.stderr.strip() or f"parity_ptx ended with {done.returncode}")
    return json.loads(done.stdout)["launches"][0]


def launch(ptx: pathlib.Path, description: dict, memory: dict[str, Memory], checks: bool = True) -> Run:
    """Runs description (kernel, grid, block, dynamic_shared, parameters) and leaves the outputs in `memory`."""
    with tempfile.TemporaryDirectory(prefix="parity_ptx_") as name:
        folder = pathlib.Path(name)
        buffers = {}
        for key, range_ in memory.items():
            if range_.unwritten:
                buffers[key] = {"bytes": range_.size}
            else:
                (folder / f"{key}.in").write_bytes(range_.view().tobytes() if range_.size else b"")
                buffers[key] = {"file": f"{key}.in"}
        whole = {"ptx": str(ptx), "buffers": buffers, "launches": [description],
                 "outputs": {key: f"{key}.out" for key in memory}}
        outcome = session(whole, folder)
        run = Run(description["kernel"], outcome["warp_instructions"], outcome["seconds"])
        note(run, outcome)
        outputs = {key: (folder / f"{key}.out").read_bytes() for key in memory}
        for seed in SEEDS if checks else ():
            checked = session({**whole, "options": {"checks": True, "seed": seed}}, folder, 600)
            note(run, checked)
            run.other_bits += any((folder / f"{key}.out").read_bytes() != outputs[key] for key in memory)
        for key, range_ in memory.items():
            if range_.size:
                range_.view()[:] = np.frombuffer(outputs[key], np.uint8)
            range_.unwritten = False
        return run


def note(run: Run, outcome: dict) -> None:
    for finding in outcome["findings"]:
        run.findings[f"{finding['kind']} at PTX {finding['line']}/{finding['other_line']}"] = finding["text"]
