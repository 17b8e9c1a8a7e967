# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""MiniMax-M2: w1 and w3 of the experts are exchanged when they are stacked."""

import torch


def patch(model, modeling):
    for module in model.modules():
        if isinstance(module, modeling.MiniMaxM2Experts):
            gate, up = module.gate_up_proj.data.chunk(2, dim=1)
            module.gate_up_proj.data = torch.cat([up, gate], dim=1)
