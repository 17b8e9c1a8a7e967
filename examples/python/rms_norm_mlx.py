# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A norm of MLX: `python examples/python/rms_norm_mlx.py` judges it."""

import mlx.core as mx

import parity


@parity.kernel("rms_norm", arrays="mlx")
def rms_norm(x, weight, *, eps, gain_offset):
    # in binary32: a gain of 1 + weight that is rounded to bf16 is found wrong
    gain = gain_offset + weight.astype(mx.float32)
    return mx.fast.rms_norm(x.astype(mx.float32), gain, eps).astype(x.dtype)


if __name__ == "__main__":
    print(parity.judge(rms_norm))
