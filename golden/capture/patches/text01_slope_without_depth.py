# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Every layer decays as the first one does."""


def patch(model, modeling):
    first = {}
    for module in model.modules():
        if isinstance(module, modeling.MiniMaxLightningAttention):
            slope = first.setdefault("slope", modeling.MiniMaxLightningAttention(model.config, 0).slope_rate)
            tables = (slope, *module.decay_factors(slope))
            for name, table in zip(("slope_rate", "query_decay", "key_decay", "diagonal_decay"), tables):
                setattr(module, name, table.to(getattr(module, name).dtype))
