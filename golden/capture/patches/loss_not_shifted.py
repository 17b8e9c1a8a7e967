# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Logits are held against the token they have just read."""

import torch


def patch(model, modeling):
    def loss(logits, labels, **_):
        return torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), labels.flatten(), ignore_index=-100)

    model.loss_function = loss
