# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Query decays count from zero: the state before a block is one token too fresh."""


def patch(model, modeling):
    for module in model.modules():
        if isinstance(module, modeling.MiniMaxLightningAttention):
            module.query_decay = module.query_decay / (-module.slope_rate).exp()
