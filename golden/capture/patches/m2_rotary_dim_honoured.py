# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""MiniMax-M2: rotates rotary_dim channels of a head, as trained; releases before 5.18.0 rotate all of them."""

import torch


def patch(model, modeling):
    rotary, width = model.model.rotary_emb, model.config.rotary_dim
    exponents = torch.arange(0, width, 2, dtype=torch.float) / width
    rotary.inv_freq = 1.0 / model.config.rope_parameters["rope_theta"] ** exponents
