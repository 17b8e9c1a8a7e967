# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Rotary frequencies with base 10000 (fault R6)."""

import torch


def patch(model, modeling):
    for module in model.modules():
        if isinstance(module, modeling.MiniMaxM3VLRotaryEmbedding):
            width = 2 * module.inv_freq.shape[0]
            module.inv_freq = 1.0 / 1e4 ** (torch.arange(0, width, 2).float() / width)
