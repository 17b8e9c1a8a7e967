# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Queries, keys and values are the three thirds of the projection instead of three parts of each head."""

from source_edit import edit

OLD = "torch.split(qkv_states, self.head_dim, dim=3)"
NEW = "qkv_states.reshape(batch_size, seq_len, 3, self.num_attention_heads, self.head_dim).unbind(2)"


def patch(model, modeling):
    edit(modeling, "MiniMaxLightningAttention", "forward", OLD, NEW)
