# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Rotates neighbouring channels instead of the two halves of the rotated width (fault R3)."""

import torch


def patch(model, modeling):
    modeling.rotate_half = lambda x: torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)
