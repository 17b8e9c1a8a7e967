# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""CUDA files of others compiled to PTX, and launches of their kernels by a pattern of the mangled name."""
import hashlib
import pathlib
import re
import subprocess

import machine
import triton_on_machine

NVCC = "/usr/local/cuda/bin/nvcc"


def compiled(source: pathlib.Path, includes: list[pathlib.Path], name: str) -> pathlib.Path:
    """Compiled again only if the file has changed."""
    mark = hashlib.sha256(source.read_bytes()).hexdigest()[:8]
    path = machine.BUILD / "ptx" / f"{name}-{mark}.ptx"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        subprocess.run([NVCC, "-ptx", "-arch=sm_90a", "-std=c++17", "-lineinfo", *(f"-I{i}" for i in includes), source,
                        "-o", partial], check=True, capture_output=True)
        partial.rename(path)
    return path


def entry(ptx: pathlib.Path, pattern: str) -> str:
    found = sorted(set(re.findall(rf"\.entry (\w*{pattern}\w*)\(", ptx.read_text())))
    if len(found) != 1:
        raise ValueError(f"{len(found)} kernels match {pattern} in {ptx.name}: {found[:4]}; narrow the pattern")
    return found[0]


def launch(ptx: pathlib.Path, pattern: str, grid: list[int], block: list[int], arguments: list,
           shared: int = 0) -> None:
    """An argument is an array (a buffer), or a parameter as parity_ptx reads it."""
    memory, parameters = {}, []
    for argument in arguments:
        if isinstance(argument, dict):
            parameters.append(argument)
            continue
        name = f"b{argument.data_ptr():x}"
        size = argument.untyped_storage().nbytes()
        fresh = triton_on_machine.never_written.pop(argument.data_ptr(), None) == size
        memory[name] = machine.Memory(argument.data_ptr(), size, fresh)
        parameters.append({"buffer": name})
    description = {"kernel": entry(ptx, pattern), "grid": grid, "block": block, "dynamic_shared": shared,
                   "parameters": parameters}
    triton_on_machine.Driver.runs.append(machine.launch(ptx, description, memory))
