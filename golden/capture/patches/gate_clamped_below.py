# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The gate of the experts is clamped from below too (fault M4): at most 5e-5 (u + 1) per element, the least visible one."""

import torch


def patch(model, modeling):
    def apply_gate(self, gate_up):
        gate, up = gate_up.chunk(2, dim=-1)
        gate, up = (x.clamp(min=-self.swiglu_limit, max=self.swiglu_limit) for x in (gate, up))
        return (up + 1.0) * (gate * torch.sigmoid(gate * self.swiglu_alpha))

    modeling.MiniMaxM3VLExperts._apply_gate = apply_gate
