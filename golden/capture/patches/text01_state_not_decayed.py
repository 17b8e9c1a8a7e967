# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The state is not decayed from block to block."""

from source_edit import edit

OLD = "attn_weights_inter * block_decay"
NEW = "attn_weights_inter"


def patch(model, modeling):
    edit(modeling, "MiniMaxLightningAttention", "forward", OLD, NEW)
