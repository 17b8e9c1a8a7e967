# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""In decoding the new token is decayed too."""

from source_edit import edit

OLD = "ratio * attn_weights_inter + current_attn_weights_inter"
NEW = "ratio * (attn_weights_inter + current_attn_weights_inter)"


def patch(model, modeling):
    edit(modeling, "MiniMaxLightningAttention", "forward", OLD, NEW)
