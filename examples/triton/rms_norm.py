# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A Triton kernel, compiled without a GPU: `python rms_norm.py` writes rms_norm.ptx and rms_norm.meta.json."""
import json
import pathlib

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def rms_norm(x, weight, out, width, eps, offset, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * width
    squares = tl.zeros([BLOCK], tl.float32)
    for first in range(0, width, BLOCK):
        at = first + tl.arange(0, BLOCK)
        value = tl.load(x + row + at, mask=at < width, other=0.0)
        squares += value * value
    scale = tl.rsqrt(tl.sum(squares) / width + eps)
    for first in range(0, width, BLOCK):
        at = first + tl.arange(0, BLOCK)
        value = tl.load(x + row + at, mask=at < width) * scale
        gain = offset + tl.load(weight + at, mask=at < width)
        tl.store(out + row + at, value * gain, mask=at < width)


if __name__ == "__main__":
    types = {"x": "*fp32", "weight": "*fp32", "out": "*fp32", "width": "i32", "eps": "fp32", "offset": "fp32"}
    source = ASTSource(rms_norm, types | {"BLOCK": "constexpr"}, constexprs={"BLOCK": 256})
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32))
    metadata = {key: getattr(compiled.metadata, key)
                for key in ("name", "num_warps", "num_ctas", "shared", "global_scratch_size", "triton_version")}
    packages = str(pathlib.Path(triton.__file__).parent.parent)  # source lines of Triton's own functions
    pathlib.Path("rms_norm.ptx").write_text(compiled.asm["ptx"].replace(packages + "/", ""))
    pathlib.Path("rms_norm.meta.json").write_text(json.dumps(metadata, indent=1) + "\n")
