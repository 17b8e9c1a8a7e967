# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a model that was widened with model.double() in binary64 throughout.

The implementation forces binary32 in a few places (norms, softmax, router, index scores, loss); inside `binary64` those
casts, and tensors of zeros, widen instead. Only the rotary tables keep their binary32 evaluation; in recordings, not in exact/, integers that are
cast (the auxiliary loss counts tokens per expert) become binary32 too."""

from __future__ import annotations

from contextlib import contextmanager

import torch

PATCHED = ((torch.Tensor, "float"), (torch.Tensor, "to"), (torch.nn.functional, "softmax"), (torch, "zeros"))


@contextmanager
def replaced(functions):
    originals = [getattr(owner, name) for owner, name in PATCHED]
    for (owner, name), function in zip(PATCHED, functions):
        setattr(owner, name, function)
    try:
        yield
    finally:
        for (owner, name), function in zip(PATCHED, originals):
            setattr(owner, name, function)


@contextmanager
def binary64(*rotary, single_counts=False):
    """Makes casts to binary32 keep binary64, except inside the modules `rotary`."""
    originals = [getattr(owner, name) for owner, name in PATCHED]
    single, to, softmax, zeros = originals

    def widen(value):
        return torch.float64 if value is torch.float32 else value

    def float64(tensor, *args, **kwargs):
        kept = single_counts and not tensor.is_floating_point()
        return single(tensor, *args, **kwargs) if kept else tensor.double()

    def to64(tensor, *args, **kwargs):
        return to(tensor, *map(widen, args), **{key: widen(value) for key, value in kwargs.items()})

    def softmax64(*args, dtype=None, **kwargs):
        return softmax(*args, dtype=widen(dtype), **kwargs)

    def zeros64(*args, dtype=None, **kwargs):
        return zeros(*args, dtype=widen(dtype), **kwargs)

    def tables32(tables):
        def call(*args, **kwargs):
            with replaced(originals):
                return tables(*args, **kwargs)

        return call

    for module in rotary:
        module.forward = tables32(module.forward)
    try:
        with replaced((float64, to64, softmax64, zeros64)):
            yield
    finally:
        for module in rotary:
            del module.forward
