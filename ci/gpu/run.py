# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""One run of the GPU lane: how its parts are executed and noted."""
from __future__ import annotations

import dataclasses
import os
import pathlib
import signal
import subprocess
import sys
import time
from typing import IO

import machine
import summary

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SEED = 1  # of the host lane: ctest's batteries draw the same cases


def ended(command: list[str], limit: float, log: IO[str], environment: dict[str, str] | None) -> int | str:
    """The exit status, or that the limit was reached: then all children are ended, too, as tools run the program as one."""
    with subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=ROOT, env=environment,
                          start_new_session=True) as child:
        try:
            return child.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            return f"not done after {limit:.0f} s"


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

    def beside(self) -> int:
        """How many judging parts run at once: each keeps some cores busy."""
        return max(1, (os.cpu_count() or 1) // 2)

    def count(self, full: int, rehearsed: int) -> str:
        return str(rehearsed if self.rehearsal else full)

    def run(self, name: str, command: list[str], limit: float, more: dict[str, str] | None = None) -> bool:
        """Runs a part; its output is out/NAME.log. `more`: variables of its environment. Whether it passed."""
        limit = min(limit, self.left())
        if limit < 1:
            self.skip(name, "no time left")
            return False
        began = time.monotonic()
        plain = command[0] == sys.executable  # libraries packed beside the program are not those that Python expects
        with open(self.out / f"{name}.log", "w", encoding="utf-8") as log:
            status = ended(command, limit, log, None if plain else self.environment | (more or {}))
        line = summary.last_line(self.out / f"{name}.log")
        self.add(summary.Part(name, "pass" if status == 0 else f"fail ({status})", time.monotonic() - began, line))
        return status == 0

    def parity(self, name: str, arguments: list[str], limit: float, more: dict[str, str] | None = None) -> bool:
        return self.run(name, [str(self.program), *arguments, "--quiet"], limit, more)

    def file(self, name: str) -> str:
        return str(self.out / name)

    def has(self, name: str, backend: str, begins: str) -> bool:
        """Whether `parity doctor` says that something is there; if not, the part is skipped for the reason it gives."""
        said = machine.of_backend(self.doctor, backend)
        if not said.startswith(begins):
            self.skip(name, said)
        return said.startswith(begins)

    def skip(self, name: str, why: str) -> None:
        self.add(summary.Part(name, "not run", 0.0, why))

    def add(self, part: summary.Part) -> None:
        print(f"[{time.monotonic() - self.began:3.0f}s] {part.name}: {part.result}  {part.line}", flush=True)
        self.parts.append(part)
