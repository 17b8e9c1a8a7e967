# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A Triton kernel in Triton's interpreter, without a GPU: `python examples/python/swiglu_triton.py` judges it."""

import os

os.environ.setdefault("TRITON_INTERPRET", "1")  # before triton is imported; on a GPU: leave it out, device="cuda"

import torch
import triton
import triton.language as tl

import parity

BLOCK = 4096  # the interpreter takes milliseconds for each block


@triton.jit
def kernel(x, out, count, width, alpha, limit, offset, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    row, column = at // width, at % width
    gate = tl.load(x + row * 2 * width + column, mask=inside, other=0.0).to(tl.float32)
    up = tl.load(x + row * 2 * width + width + column, mask=inside, other=0.0).to(tl.float32)
    gate = tl.where(gate > limit, limit, gate)  # a comparison keeps NaN, which tl.minimum may drop
    up = tl.where(up > limit, limit, tl.where(up < -limit, -limit, up))
    tl.store(out + at, (up + offset) * gate / (1.0 + tl.exp(-alpha * gate)), mask=inside)


@parity.kernel("swiglu")
def swiglu(gate_up, *, alpha, limit, linear_offset):
    gate_up = gate_up.contiguous()
    width = gate_up.shape[-1] // 2
    out = torch.empty(*gate_up.shape[:-1], width)  # binary32: the interpreter would cut off bits of bf16
    if out.numel():
        kernel[(triton.cdiv(out.numel(), BLOCK),)](gate_up, out, out.numel(), width, alpha, limit, linear_offset, BLOCK)
    return out.to(gate_up.dtype)


if __name__ == "__main__":
    print(parity.judge(swiglu, cases=8))
