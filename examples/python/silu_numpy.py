# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A function of numpy: `python examples/python/silu_numpy.py` judges it. bf16 is numpy's with the package ml_dtypes."""

import numpy as np

import parity


@parity.kernel("silu")
def silu(x: np.ndarray):
    wide = x.astype(np.float32)
    with np.errstate(over="ignore"):
        return wide / (1 + np.exp(-wide))


if __name__ == "__main__":
    print(parity.judge(silu))
