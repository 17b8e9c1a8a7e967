# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""MiniMax-M2: the gain is one plus the weight, as in MiniMax-M3."""


def patch(model, modeling):
    plain = modeling.MiniMaxM2RMSNorm.forward

    def forward(self, x):
        return plain(self, x) + plain(self, x) / self.weight

    modeling.MiniMaxM2RMSNorm.forward = forward
