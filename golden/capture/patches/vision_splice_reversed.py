# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Features are written into the placeholders from the last row to the first."""

import torch


def patch(model, modeling):
    scatter = torch.Tensor.masked_scatter
    torch.Tensor.masked_scatter = lambda tensor, mask, source: scatter(tensor, mask, source.flip(0))
