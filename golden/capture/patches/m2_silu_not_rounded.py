# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""MiniMax-M2: silu stays in binary32 until it has been multiplied, as compiled and fused kernels do."""

import torch


def patch(model, modeling):
    class Wide(torch.nn.Module):
        def forward(self, gate):
            return Product(torch.nn.functional.silu(gate.float()), gate.dtype)

    class Product:
        def __init__(self, gate, dtype):
            self.gate, self.dtype = gate, dtype

        def __mul__(self, up):
            return (self.gate * up.float()).to(self.dtype)

    for module in model.modules():
        if isinstance(module, modeling.MiniMaxM2Experts):
            module.act_fn = Wide()
