# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Frame numbers start again after every two frames, as if a video were cut into short segments (up to 5.16.1)."""


def patch(model, modeling):
    rotary = model.model.vision_tower.rotary_emb
    original = rotary.forward

    def restarting(grid, *args, **kwargs):
        pieces = [[min(2, t - first), h, w] for t, h, w in grid.tolist() for first in range(0, t, 2)]
        return original(grid.new_tensor(pieces), *args, **kwargs)

    rotary.forward = restarting
