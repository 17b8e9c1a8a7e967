# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Single Triton files of a release, run without a GPU: in Triton's interpreter, or compiled on the PTX machine.

The interpreter of 3.9.0 keeps bf16 as 16-bit integers, multiplies and adds these integers, and cuts binary32 off when
it narrows. `repair` widens bf16 for each operation and rounds to nearest even, as a GPU does. Nothing else is replaced.
"""

from __future__ import annotations

import os
import pathlib
import sys

import packages
from processes import ABSENT

FOREIGN = pathlib.Path(__file__).resolve().parents[1] / "ci/foreign"


def start(on: str) -> None:
    """Before anything imports triton. on: interpreter or machine."""
    sys.path.insert(0, str(FOREIGN))
    if on == "interpreter":
        os.environ["TRITON_INTERPRET"] = "1"
        repair()
        return
    import machine
    import triton_on_machine

    if not machine.PROGRAM.exists():
        print(f"{machine.PROGRAM} is not built; build the target parity_program_parity_ptx", file=sys.stderr)
        raise SystemExit(ABSENT)
    machine.SEEDS = ()  # races are looked for by ci/foreign; here only the values count
    triton_on_machine.install()


def repair() -> None:
    import numpy as np
    import triton.language as tl
    from triton.runtime import interpreter

    handle, builder, convert = interpreter.TensorHandle, interpreter.InterpreterBuilder, interpreter._convert_float

    def widened(value):
        if isinstance(value, handle) and value.dtype.scalar == tl.bfloat16:
            return handle((np.asarray(value.data).astype(np.uint32) << 16).view(np.float32), tl.float32)
        return value

    def rounded(values):
        bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
        nearest = (bits + np.uint32(0x7FFF) + ((bits >> 16) & np.uint32(1))) >> np.uint32(16)
        return np.where(np.isnan(values), np.uint32(0x7FC0), nearest).astype(np.uint16).reshape(np.shape(values))

    def convert_rounding(values, source, target, mode):
        if source == tl.float32 and target == tl.bfloat16:
            return rounded(values)
        return convert(values, source, target, mode)

    def in_binary32(operation):
        def run(self, *operands):
            wide = [widened(operand) for operand in operands]
            narrow = any(new is not old for new, old in zip(wide, operands))
            with np.errstate(all="ignore"):
                out = operation(self, *wide)
            if narrow and out.dtype.scalar == tl.float32 and operation.__name__ != "create_dot":
                return handle(rounded(out.data), tl.bfloat16)
            return out

        return run

    interpreter._convert_float = convert_rounding
    for name in ("binary_op", "ternary_op", "unary_op", "create_dot"):
        setattr(builder, name, in_binary32(getattr(builder, name)))


def release(package: str, version: str, files: list[str], given: dict) -> None:
    """From here on `import PACKAGE.…` finds `files` of the release and stand-ins for all others."""
    import stubs
    import triton
    import triton.language as tl

    try:
        folder = packages.fetch(package, version)
    except packages.Unreachable as error:
        print(error, file=sys.stderr)
        raise SystemExit(ABSENT) from None
    common = {"vllm.triton_utils": {"tl": tl, "triton": triton}, "vllm.platforms": {"current_platform": Platform()},
              "vllm.utils.math_utils": {"round_up": lambda x, y: -(-x // y) * y, "cdiv": lambda x, y: -(-x // y)}}
    real = {file.removesuffix(".py").replace("/", ".") for file in files}
    stubs.install(package, folder, real, common | given)


class Platform:
    """The answers of a Hopper GPU without programmatic dependent launches."""

    def __getattr__(self, name):
        return lambda *arguments, **options: name == "is_cuda_alike"

    def fp8_dtype(self):
        import torch

        return torch.float8_e4m3fn


def smallest(module):
    """The module, with the last of each kernel's configurations: which is fastest is not asked here."""
    for kernel in list(vars(module).values()):
        while hasattr(kernel, "fn"):
            if isinstance(getattr(kernel, "configs", None), list):
                kernel.configs = kernel.configs[-1:]
            kernel = kernel.fn
    return module
