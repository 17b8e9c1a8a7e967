# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""MiniMax-M2: queries and keys are normalised head by head instead of over all heads together."""

import torch


def patch(model, modeling):
    def per_head(norm, width):
        def forward(x):
            heads = x.float().unflatten(-1, (-1, width))
            heads = heads * torch.rsqrt(heads.pow(2).mean(-1, keepdim=True) + norm.variance_epsilon)
            return norm.weight * heads.flatten(-2).to(x.dtype)

        norm.forward = forward

    for layer in model.model.layers:
        per_head(layer.self_attn.q_norm, layer.self_attn.head_dim)
        per_head(layer.self_attn.k_norm, layer.self_attn.head_dim)
