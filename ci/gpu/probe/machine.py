# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The PTX machine by its program parity_ptx, with the interface of driver.Driver."""
from __future__ import annotations

import json
import pathlib
import subprocess
import tempfile

from driver import Failed, Refused


class Machine:
    name, version = "the PTX machine", 0

    def __init__(self, program: pathlib.Path, options: dict | None = None) -> None:
        self.program, self.options = program, options or {}

    def ask(self, text: str, blocks: int, threads: int, read: list[bytes], written: list[int]) -> bytes:
        """Runs kernel `probe` with the addresses of `read`, then of `written` (bytes); gives the first of these."""
        with tempfile.TemporaryDirectory(prefix="parity_probe_") as name:
            folder = pathlib.Path(name)
            (folder / "probe.ptx").write_text(text, encoding="utf-8")
            buffers: dict[str, dict] = {}
            for at, data in enumerate(read):
                (folder / f"{at}.bin").write_bytes(data)
                buffers[f"read{at}"] = {"file": f"{at}.bin"}
            buffers |= {f"written{at}": {"bytes": size, "fill": 0xA5} for at, size in enumerate(written)}
            launch = {"kernel": "probe", "grid": [blocks, 1, 1], "block": [threads, 1, 1], "cluster": [1, 1, 1],
                      "dynamic_shared": 0, "parameters": [{"buffer": key, "offset": 0} for key in buffers]}
            (folder / "run.json").write_text(json.dumps({
                "ptx": "probe.ptx", "buffers": buffers, "launches": [launch], "options": self.options,
                "outputs": {"written0": "out.bin"}}), encoding="utf-8")
            try:
                run = subprocess.run([self.program, folder / "run.json"], capture_output=True, text=True, check=False)
            except OSError as error:
                raise Failed(f"{self.program} does not run: {error}") from error
            if "PTX line" in run.stderr:
                raise Refused(run.stderr.strip())
            if run.returncode != 0:
                raise Failed(f"{self.program} ended with {run.returncode}: {(run.stderr or run.stdout).strip()}")
            return (folder / "out.bin").read_bytes()
