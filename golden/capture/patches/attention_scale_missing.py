# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Attention scores are not divided by the square root of the head width."""


def patch(model, modeling):
    for module in model.modules():
        if isinstance(module, modeling.MiniMaxM3VLAttention):
            module.scaling = 1.0
