# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Columns where rows belong in the rotary tables of the vision tower."""

import torch


def patch(model, modeling):
    rotary = model.model.vision_tower.rotary_emb
    original = rotary.forward

    def swapped(*args, **kwargs):
        def exchange(table):
            t, h, w = table.chunk(2, -1)[0].chunk(3, -1)
            return torch.cat([t, w, h, t, w, h], -1)

        return tuple(exchange(table) for table in original(*args, **kwargs))

    rotary.forward = swapped
