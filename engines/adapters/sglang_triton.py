# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""SGLang's Triton kernels of MiniMax-M3's norms and SwiGLU and of Text-01's attention, on what a golden recorded.

options: on=interpreter|machine; part=elementwise|lightning"""

from __future__ import annotations

import importlib
import pathlib
from unittest import mock

import capture as captures
import packages
from kernels import OPTIONS, elementwise, lightning, run_of
from registry import Engine, Note

OPS = "sglang/kernels/ops/"
FILES = [OPS + "layernorm/minimax_m3_rmsnorm.py", OPS + "activation/minimax_m3_swiglu.py",
         OPS + "attention/linear/lightning_attn.py"]


def fill(capture, checkpoint: pathlib.Path, options: dict) -> None:
    import triton_host

    triton_host.start(options["on"])
    from inputs import Golden

    triton_host.release("sglang", options["release"], FILES, {"sglang.srt.utils": {
        "is_cuda": lambda: False, "is_hip": lambda: False, "cpu_has_amx_support": lambda: False}})
    modules = [importlib.import_module(file.removesuffix(".py").replace("/", ".")) for file in FILES]
    norms, activations, attention = (triton_host.smallest(module) for module in modules)
    with mock.patch("torch.cuda.get_device_capability", lambda *_: (9, 0)):  # what the attention asks for
        if options["part"] == "lightning":
            lightning(Golden(checkpoint), capture, attention)
        else:
            elementwise(Golden(checkpoint), capture, norms, activations)


ENGINE = Engine(
    name="sglang-triton", pip=("triton=={triton}", "einops", "pip"), torch=True, options=OPTIONS,
    runs=tuple(run_of(packages.version_of("sglang"), on, part) for part in ("elementwise", "lightning")
               for on in ("interpreter", "machine")),
    notes=(
        Note("lightning_attention", "keys of earlier blocks of 256 tokens decay by one step too few: the query's decay "
             "starts at exp(0) in the kernel, and at exp(-slope) in the model. On the PTX machine, products also use "
             "tf32, Triton's default", "sglang/kernels/ops/attention/linear/lightning_attn.py:377"),
    ),
)

if __name__ == "__main__":
    given = captures.arguments(__doc__, ENGINE.options)
    with captures.Capture(given.capture, "sglang") as opened:
        fill(opened, given.checkpoint, given.options)
