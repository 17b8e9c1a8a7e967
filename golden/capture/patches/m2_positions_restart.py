# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""MiniMax-M2: decode positions start again at zero after the prefill."""


def patch(model, modeling):
    plain = modeling.MiniMaxM2RotaryEmbedding.forward

    def forward(self, x, position_ids):
        return plain(self, x, position_ids - position_ids[:, :1])

    modeling.MiniMaxM2RotaryEmbedding.forward = forward
