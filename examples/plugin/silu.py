# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""SiLU in Python that parity judges: parity battery --kernel python:examples/plugin/silu.py::silu"""
import numpy


def silu(x):
    with numpy.errstate(over="ignore"):  # exp of a large number is infinite, and the quotient 0
        return x / (1 + numpy.exp(-x.astype(numpy.float64)))
