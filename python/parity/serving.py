# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Serves a kernel of this process to the program: each worker is a fork of it, made when the program asks for one."""

from __future__ import annotations

import functools
import inspect
import math
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

from parity import arrays, functions, program, worker
from parity.kernels import Kernel


def in_worker() -> bool:
    """Whether this process is a worker that the program started."""
    return "PARITY_WORKER_FD" in os.environ


def run_with(
    kernel: Kernel, command, start: str | None = None, after=None, limit_s: float | None = None
) -> tuple[int, str]:
    """Runs the program with command(word), where `word` names the kernel; its exit code and what it printed.

    start: "fork", or "fresh": an interpreter that loads the kernel's file. Default: what this process allows.
    after(operands, params): called in the worker after each call; only with "fork". limit_s: of one call.
    """
    if (start or ("fresh" if unforkable(kernel) else "fork")) == "fresh":
        return _run(command(fresh_word(kernel)), lambda process: None, [], limit_s)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)

    def serve(_) -> None:
        theirs.close()
        worker.fork_server(ours, [served(kernel, forked=True, after=after)])

    with ours, theirs:
        return _run(command(f"fd:{theirs.fileno()}"), serve, [theirs.fileno()], limit_s)


def _run(words: list[str], meanwhile, descriptors: list[int], limit_s: float | None) -> tuple[int, str]:
    """What the program says, while this process does something for it."""
    from parity.judging import environment

    path = os.pathsep.join(filter(None, [str(pathlib.Path(__file__).parent.parent), os.environ.get("PYTHONPATH")]))
    variables = {**environment(), "PARITY_PYTHON": sys.executable, "PYTHONPATH": path}
    if limit_s is not None:
        variables["PARITY_PLUGIN_SECONDS"] = str(limit_s)
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [str(program.path()), *words], stdout=printed, stderr=said, pass_fds=descriptors, env=variables
        )
        try:
            meanwhile(process)
            status = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
        printed.seek(0)
        said.seek(0)
        text, complaint = (file.read().decode("utf-8", "replace") for file in (printed, said))
    program.check(status, complaint or text)
    return status, text if text.strip() or status == 0 else complaint.removeprefix("parity: ")  # why nothing ran


def unforkable(kernel: Kernel) -> bool:
    """Whether threads or a device of this process would not survive a fork."""
    torch = sys.modules.get("torch")
    return kernel.arrays in ("jax", "mlx") or (torch is not None and torch.cuda.is_initialized())


def fresh_word(kernel: Kernel) -> str:
    """The kernel by its file and name. Raises ValueError if no other interpreter could load it."""
    function = kernel.function
    file = inspect.getsourcefile(function)
    if file is None or not os.path.isfile(file) or "<locals>" in function.__qualname__:
        raise ValueError(
            f"{function.__qualname__} has to be a function of a file: this process uses a device or threads, "
            'which a fork loses, so that another interpreter has to load it; or say start="fork"'
        )
    return f"python:{file}::{function.__qualname__}"


def arguments(kernel: Kernel, operands: dict, params: dict):
    """The kernel's call with the arguments that it takes, and a function that waits for its result.

    Raises Refused for a call that the kernel does not claim to compute.
    """
    params = {name: math.inf if value is None else value for name, value in params.items()}  # JSON has no infinity
    refuse(kernel, operands, params)
    given = {name: params[name] for name in kernel.params}
    for name in kernel.operands:
        found = [
            arrays.given(bits if kernel.strided else contiguous(bits), dtype, kernel.arrays, kernel.device)
            for bits, dtype in operands.get(name, ())
        ]
        if found:
            given[name] = found[0] if len(found) == 1 else found
    return functools.partial(kernel.function, **given), arrays.waiting(kernel.arrays, kernel.device)


def served(kernel: Kernel, forked: bool = False, after=None) -> functions.Kernel:
    """The kernel as a worker calls it: with operands and outputs as their bits."""

    def call(operands: dict, params: dict, outputs: dict) -> None:
        if forked and "torch" in sys.modules:
            sys.modules["torch"].set_num_threads(1)  # threads of the parent's pool are not in this process
        call_it, _ = arguments(kernel, operands, params)
        result = call_it()
        optional = {field.name for field in kernel.signature.outputs if field.optional}
        for name, value in named_results(result, list(outputs), optional).items():
            into, dtype = outputs[name]
            found = arrays.taken(value, dtype)
            if found.shape != into.shape:
                raise ValueError(f"{name} has shape {found.shape}; it has to be {into.shape}")
            into[...] = found
        if after is not None:
            after(operands, params)

    return functions.Kernel(call, kernel.component, kernel.types, raw=True)


def contiguous(array):
    """The array, copied only if it is not contiguous."""
    return array if array.flags.c_contiguous else array.copy()


def refuse(kernel: Kernel, operands, params: dict) -> None:
    """Raises Refused for a call that the kernel does not claim to compute."""
    for name in operands:
        if name not in kernel.operands:
            raise functions.Refused(f"takes no {name}")
    for name, value in kernel.fixed.items():
        if params[name] != value:
            raise functions.Refused(f"{name} is fixed at {value}")


def named_results(result, names: list[str], optional=frozenset()) -> dict[str, object]:
    """The results by the names of the outputs that are asked for.

    Raises Refused if only optional outputs are missing, TypeError where the results do not fit otherwise.
    """
    if result is None:
        raise TypeError(f"the kernel returned nothing; it has to return {', '.join(names)}")
    if not isinstance(result, dict):
        several = list(result) if isinstance(result, (tuple, list)) else [result]
        required = [name for name in names if name not in optional]
        result = dict(zip(names if len(several) == len(names) else required, several))
        if len(several) not in (len(names), len(required)):
            raise TypeError(f"the kernel returned {len(several)} results; it has to return {', '.join(names)}")
    missing = [name for name in names if name not in result]
    if missing and missing[0] in optional:
        raise functions.Refused(f"returns no {missing[0]}")
    if missing:
        raise TypeError(f"the kernel returned {', '.join(map(str, result))}, and no {missing[0]}")
    return {name: result[name] for name in names}
