# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""MiniMax-M2: the correction bias does not take part in the choice of experts (fault Q2)."""


def patch(model, modeling):
    for module in model.modules():
        if isinstance(module, modeling.MiniMaxM2SparseMoeBlock):
            module.e_score_correction_bias.zero_()
