# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The correction bias does not take part in the choice of experts (fault Q2)."""


def patch(model, modeling):
    for module in model.modules():
        if isinstance(module, modeling.MiniMaxM3VLTopKRouter):
            module.e_score_correction_bias.zero_()
