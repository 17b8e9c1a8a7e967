# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The biases of the vision attention's projections are not loaded."""


def patch(model, modeling):
    for layer in model.model.vision_tower.layers:
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            getattr(layer.self_attn, name).bias.data.zero_()
