# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A driver for Triton's own runtime that launches on the PTX machine: tensors stay where they are, on the processor.

`install(runs)` makes it the active one. Kernels are compiled for sm_90 as on a GPU; ptxas is left out.
"""
import hashlib

import torch
import triton
from triton import knobs
from triton.backends.compiler import GPUTarget

import machine

KINDS = {"i1": "u8", "i8": "i8", "u8": "u8", "i16": "i16", "i32": "i32", "u32": "i32", "i64": "i64", "u64": "i64",
         "fp32": "f32", "f32": "f32", "fp64": "f64"}
never_written = {}  # address of a storage -> its size: made by torch.empty, and no kernel has run since


class Launcher:
    """What Triton calls to launch a kernel; `src` knows the types of its arguments."""

    def __init__(self, src, metadata):
        self.types = list(src.signature.values())
        self.metadata = metadata

    def __call__(self, x, y, z, stream, function, packed, launch_metadata, enter, leave, *arguments):
        if x * y * z == 0:
            return
        memory, given = {}, []
        for kind, value in zip(self.types, arguments):
            add(kind, value, memory, given)
        ptx, parameters = function
        given += [{"i64": 0}] * (parameters - len(given))  # Triton's scratch pointers
        description = {"kernel": self.metadata.name, "grid": [x, y, z], "parameters": given,
                       "block": [32 * self.metadata.num_warps, 1, 1], "dynamic_shared": self.metadata.shared}
        Driver.runs.append(machine.launch(ptx, description, memory))


def add(kind, value, memory, given):
    if kind == "constexpr":
        return
    if isinstance(kind, tuple):
        for part_kind, part in zip(kind, value):
            add(part_kind, part, memory, given)
    elif kind.startswith("*"):
        if value is None:
            given.append({"i64": 0})
            return
        storage = value.untyped_storage()
        name = f"b{storage.data_ptr():x}"
        fresh = never_written.pop(storage.data_ptr(), None) == storage.nbytes()
        memory.setdefault(name, machine.Memory(storage.data_ptr(), storage.nbytes(), fresh))
        given.append({"buffer": name, "offset": value.data_ptr() - storage.data_ptr()})
    else:
        given.append({KINDS[kind]: int(value) if KINDS[kind][0] != "f" else float(value)})


class Utilities:
    @staticmethod
    def load_binary(name, text, shared, device):
        path = machine.BUILD / "ptx" / f"{name}-{hashlib.sha256(text).hexdigest()[:8]}.ptx"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
        entry = text.split(b".entry", 1)[1]
        return text, (path, entry[entry.index(b"("):entry.index(b")")].count(b".param")), 64, 0, 1024

    @staticmethod
    def get_device_properties(device):
        return {"max_shared_mem": 227 * 1024, "multiprocessor_count": 132, "warpSize": 32}

    @staticmethod
    def unload_module(module):
        pass


class Driver:
    runs: list = []
    utils = Utilities
    launcher_cls = Launcher

    def get_current_target(self):
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device):
        return 0

    def get_active_torch_device(self):
        return torch.device("cpu")

    def get_benchmarker(self):
        return lambda call, quantiles=None, **others: [1.0] * len(quantiles or [0])


def keep_ptx(*given):
    """Triton's hook for other stages of compilation: the PTX takes the place of the cubin."""
    if not given:
        return "parity", "1"
    given[1]["cubin"] = lambda ptx, metadata: ptx.encode() if isinstance(ptx, str) else ptx
    return None


def remember(make):
    def made(*arguments, **options):
        tensor = make(*arguments, **options)
        never_written[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    return made


def install() -> list:
    """The list that every launch is added to."""
    triton.runtime.driver.set_active(Driver())
    knobs.runtime.add_stages_inspection_hook = keep_ptx
    for name in ("empty", "empty_like", "empty_strided"):
        setattr(torch, name, remember(getattr(torch, name)))
    return Driver.runs
