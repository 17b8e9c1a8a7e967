# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Padding is not masked in the prefill."""

from source_edit import edit

OLD = "~attention_mask.unsqueeze(1)"
NEW = "(attention_mask & False).unsqueeze(1)"


def patch(model, modeling):
    edit(modeling, "MiniMaxLightningAttention", "forward", OLD, NEW)
