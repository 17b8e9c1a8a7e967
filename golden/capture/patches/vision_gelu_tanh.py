# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The tanh approximation of GELU in the vision MLPs, the projector and the merger."""

import torch


def patch(model, modeling):
    approximate = torch.nn.GELU(approximate="tanh")
    for layer in model.model.vision_tower.layers:
        layer.mlp.activation_fn = approximate
    model.model.multi_modal_projector.act = model.model.multi_modal_projector.merge_act = approximate
