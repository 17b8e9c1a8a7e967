# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""mlx-lm's MiniMax-M2 shared by two processes (tensor parallel over MLX's ring, on 127.0.0.1), on a CPU.

Each process keeps the columns that it computes; the first joins them. What both hold whole is taken from the first."""

from __future__ import annotations

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

import capture as captures
from registry import Bug, Engine, Run

RANKS = 2
SHARED = ("q_proj", "k_proj", "v_proj", "q_norm", "k_norm")  # columns are divided
WHOLE = ("o_proj",)


def free_ports() -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(RANKS)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def of_rank(capture_file: str, checkpoint: pathlib.Path, target: str) -> None:
    """One process: writes what its modules return, call by call."""
    import mlx.core as mx
    import numpy as np
    from adapters.mlx_lm_cpu import load
    from mlx_lm.models.cache import make_prompt_cache
    from tracing import Results

    mx.set_default_device(mx.cpu)
    group = mx.distributed.init(strict=True, backend="ring")
    model, text, _ = load(checkpoint)
    model.shard(group)
    results, cache, taps = Results(), make_prompt_cache(model), {}
    for index, layer in enumerate(text.model.layers):
        at = f"text/layers/{index:02d}/"
        for name in SHARED + WHOLE:
            results.watch(layer.self_attn[name], f"{at}attention/{name}/out")
        results.watch(layer.input_layernorm, at + "input_norm/out")
        results.watch(layer.post_attention_layernorm, at + "post_attention_norm/out")
        results.watch(layer, at + "out")
    results.watch(text.lm_head, "text/lm_head/out")
    with captures.Capture(capture_file, "mlx-lm", "r") as capture:
        calls = capture.calls()
    for call in calls:
        results.found.clear()
        with results:
            mx.eval(model(mx.array(call.tokens["input_ids"]), cache=cache))
        taps |= {call.prefix + tap: np.array(values[-1].astype(mx.float32)) for tap, values in results.found.items()}
    np.savez(target, **taps)


def fill(capture_file: str, checkpoint: pathlib.Path) -> None:
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        hosts = pathlib.Path(folder) / "hosts.json"
        hosts.write_text(json.dumps([[f"127.0.0.1:{port}"] for port in free_ports()]), encoding="utf-8")
        files = [str(pathlib.Path(folder) / f"{rank}.npz") for rank in range(RANKS)]
        processes = []
        try:
            for rank, file in enumerate(files):
                environment = {**os.environ, "MLX_RANK": str(rank), "MLX_HOSTFILE": str(hosts)}
                processes.append(subprocess.Popen([sys.executable, __file__, capture_file, checkpoint, f"part={file}"],
                                                  env=environment))
            failed = [process.wait(timeout=300) for process in processes]
        finally:
            for process in processes:
                process.kill()
        if any(failed):
            raise SystemExit(f"the processes ended with {failed}")
        parts = [np.load(file) for file in files]
    with captures.Capture(capture_file, "mlx-lm") as capture:
        for tap in parts[0].files:
            shared = any(f"/{name}/" in tap for name in SHARED)
            capture.put(tap, np.concatenate([part[tap] for part in parts], -1) if shared else parts[0][tap])


SHOWN = (*(f"*/attention/{name}/out" for name in SHARED + WHOLE), "*/input_norm/out", "*/post_attention_norm/out",
         "*/layers/??/out", "*/lm_head/out")


def run_of(version: str) -> Run:
    return Run(version, "m2-even-f32", only=SHOWN)


ENGINE = Engine(
    name="mlx-lm-2-ranks", pip=("mlx-lm=={version}", "mlx[cpu]==0.32.4"), runs=(run_of("0.32.2"),),
    options={"part": ()},  # the file of one of the processes, which the adapter starts
    bugs=(
        Bug("a process normalises M2's queries and keys over its own heads, not over all heads", "rms_norm",
            "qk_norm-per-shard", run_of("0.30.7"), run_of("0.31.1"), "https://github.com/ml-explore/mlx-lm/issues/898"),
    ),
)

if __name__ == "__main__":
    given = captures.arguments(__doc__, ENGINE.options)
    if "part" in given.options:
        of_rank(given.capture, given.checkpoint, given.options["part"])
    else:
        fill(given.capture, given.checkpoint)
