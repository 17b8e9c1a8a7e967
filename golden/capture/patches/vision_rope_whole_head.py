# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The rotated width is the whole head: three bands of the next even width that covers it."""

import torch


def patch(model, modeling):
    rotary = model.model.vision_tower.rotary_emb
    original = rotary.forward

    def whole(*args, **kwargs):
        cos, sin = original(*args, **kwargs)
        config = model.model.vision_tower.config
        missing = (config.hidden_size // config.num_attention_heads - cos.shape[-1]) // 2
        repeated = lambda t: torch.cat([torch.cat([half, half[:, :missing]], -1) for half in t.chunk(2, -1)], -1)
        return repeated(cos), repeated(sin)

    rotary.forward = whole
