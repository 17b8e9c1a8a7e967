# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The gain of every norm is the weight instead of one plus the weight (fault N1)."""


def patch(model, modeling):
    def forward(self, x):
        return (self._norm(x.float()) * self.weight.float()).type_as(x)

    modeling.MiniMaxM3VLRMSNorm.forward = forward
