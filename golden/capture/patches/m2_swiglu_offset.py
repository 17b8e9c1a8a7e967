# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""MiniMax-M2: one is added to the linear half of the experts, as in MiniMax-M3."""

import torch


def patch(model, modeling):
    class Shifted(torch.nn.Module):
        """silu(gate) (up + 1) = silu(gate) up + silu(gate), through the only hook there is: the product with up."""

        def forward(self, gate):
            return Product(torch.nn.functional.silu(gate))

    class Product:
        def __init__(self, gate):
            self.gate = gate

        def __mul__(self, up):
            return self.gate * (up + 1)

    for module in model.modules():
        if isinstance(module, modeling.MiniMaxM2Experts):
            module.act_fn = Shifted()
