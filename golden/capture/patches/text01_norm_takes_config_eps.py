# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The norm inside lightning attention takes rms_norm_eps (1e-5) instead of its own 1e-6; f32 shows it."""


def patch(model, modeling):
    for module in model.modules():
        if isinstance(module, modeling.MiniMaxLightningAttention):
            module.norm.variance_epsilon = model.config.rms_norm_eps
