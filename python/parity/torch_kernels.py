# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What PyTorch itself has for a component, as kernels to compare times with. They are judged as any other."""

from __future__ import annotations

from parity.kernels import Kernel
from parity.kernels import kernel as declared


def silu(x):
    import torch

    return torch.nn.functional.silu(x)


def gelu(x):
    import torch

    return torch.nn.functional.gelu(x)


def linear(x, weight, bias=None):
    import torch

    return torch.nn.functional.linear(x, weight, bias)


def layer_norm(x, weight, bias, *, eps):
    import torch

    return torch.nn.functional.layer_norm(x, weight.shape, weight, bias, eps)


def rms_norm(x, weight, *, eps, gain_offset):
    import torch

    return torch.nn.functional.rms_norm(x.float(), weight.shape, gain_offset + weight.float(), eps).to(x.dtype)


def sigmoid_gate(x, gate):
    import torch

    return torch.sigmoid(gate) * x


KNOWN = {function.__name__: function for function in (silu, gelu, linear, layer_norm, rms_norm, sigmoid_gate)}


def of(component: str) -> Kernel:
    """PyTorch's kernel of a component. Raises ValueError if it has none."""
    if component not in KNOWN:
        raise ValueError(
            f"PyTorch has no function of {component}; it has {', '.join(KNOWN)}: pass a kernel of your own"
        )
    return declared(component, arrays="torch")(KNOWN[component])
