# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""alpha and beta of the attention residual are swapped."""


def patch(model, modeling):
    for layer in model.model.layers:
        layer.attn_alpha_factor, layer.attn_beta_factor = layer.attn_beta_factor, layer.attn_alpha_factor
