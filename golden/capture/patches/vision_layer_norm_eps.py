# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The text decoder's epsilon in the vision tower's norms: 1e-6 for 1e-5 (shows in f32)."""

import torch


def patch(model, modeling):
    for module in model.model.vision_tower.modules():
        if isinstance(module, torch.nn.LayerNorm):
            module.eps = 1e-6
