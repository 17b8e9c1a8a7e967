# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Index keys of earlier calls are one slot off (fault C2): the prefill is right, every later call selects wrong blocks."""

import torch


def patch(model, modeling):
    append = modeling.MiniMaxM3VLSparseCacheLayer.update_index

    def update_index(self, new):
        keys = append(self, new)
        filled = keys.shape[-2] - new.shape[-2]
        return torch.cat([keys[..., :filled, :].roll(1, -2), new], dim=-2)

    modeling.MiniMaxM3VLSparseCacheLayer.update_index = update_index
