# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""MiniMax-M2: the norm rounds once, after the gain, as fused kernels do."""

import torch


def patch(model, modeling):
    def forward(self, x):
        wide = x.float()
        normalised = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.variance_epsilon)
        return (normalised * self.weight.float()).to(x.dtype)

    modeling.MiniMaxM2RMSNorm.forward = forward
