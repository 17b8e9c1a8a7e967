# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A token does not see itself within its block."""

from source_edit import edit

OLD = "attn_weights_intra * current_diagonal_decay"
NEW = "attn_weights_intra * current_diagonal_decay.tril(-1)"


def patch(model, modeling):
    edit(modeling, "MiniMaxLightningAttention", "forward", OLD, NEW)
