# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""vLLM's Triton kernels of MiniMax-M3's norms and SwiGLU and of Text-01's attention, on what a golden recorded.

options: on=interpreter|machine; part=elementwise|lightning"""

from __future__ import annotations

import pathlib

import capture as captures
import packages
from kernels import OPTIONS, elementwise, lightning, run_of
from registry import Engine, Note

M3, LAYERS = "vllm/models/minimax_m3/amd/ops/", "vllm/model_executor/layers/"
FILES = [M3 + "gemma_rmsnorm.py", M3 + "swiglu_oai.py", LAYERS + "lightning_attn.py"]


def fill(capture, checkpoint: pathlib.Path, options: dict) -> None:
    import triton_host

    triton_host.start(options["on"])
    from inputs import Golden

    triton_host.release("vllm", options["release"], FILES, {"vllm.v1.attention.backends.utils": {"PAD_SLOT_ID": -1}})
    from vllm.model_executor.layers import lightning_attn
    from vllm.models.minimax_m3.amd.ops import gemma_rmsnorm, swiglu_oai

    if options["part"] == "lightning":
        lightning(Golden(checkpoint), capture, triton_host.smallest(lightning_attn))
    else:
        elementwise(Golden(checkpoint), capture, triton_host.smallest(gemma_rmsnorm), swiglu_oai)


ENGINE = Engine(
    name="vllm-triton", pip=("triton=={triton}", "einops", "pip"), torch=True, options=OPTIONS,
    runs=tuple(run_of(packages.version_of("vllm"), on, part) for part in ("elementwise", "lightning")
               for on in ("interpreter", "machine")),
    notes=(
        Note("lightning_attention", "keys of earlier blocks of 256 tokens decay by one step too few: the query's decay "
             "starts at exp(0) in the kernel, and at exp(-slope) in the model. On the PTX machine, products also use "
             "tf32, Triton's default", "vllm/model_executor/layers/lightning_attn.py:381"),
    ),
)

if __name__ == "__main__":
    given = captures.arguments(__doc__, ENGINE.options)
    with captures.Capture(given.capture, "vllm") as opened:
        fill(opened, given.checkpoint, given.options)
