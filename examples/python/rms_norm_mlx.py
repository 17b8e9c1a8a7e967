# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A norm of MLX: `python examples/python/rms_norm_mlx.py` judges it."""

import mlx.core as mx

import parity


@parity.kernel("rms_norm", arrays="mlx")
def rms_norm(x, weight, *, eps, gain_offset):
    return mx.fast.rms_norm(x, (gain_offset + weight.astype(mx.float32)).astype(x.dtype), eps)


if __name__ == "__main__":
    print(parity.judge(rms_norm))
