# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A partial block takes the first instead of the last rows of the key decays."""

from source_edit import edit

OLD = "self.key_decay[:, -current_block_size:]"
NEW = "self.key_decay[:, :current_block_size]"


def patch(model, modeling):
    edit(modeling, "MiniMaxLightningAttention", "forward", OLD, NEW)
