# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""MiniMax-M2: routing weights times a scaling factor of 2.5, which this model does not have."""

import torch


def patch(model, modeling):
    plain = modeling.MiniMaxM2TopKRouter.forward

    def forward(self, hidden_states, bias):
        logits, weights, indices = plain(self, hidden_states, bias)
        return logits, weights * 2.5, indices

    modeling.MiniMaxM2TopKRouter.forward = forward
