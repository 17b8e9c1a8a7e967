# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The output gate is applied before the norm."""

from source_edit import edit

OLD = "attn_output = self.norm(attn_output)\n    attn_output = F.sigmoid(self.output_gate(hidden_states)) * attn_output"
NEW = "attn_output = self.norm(F.sigmoid(self.output_gate(hidden_states)) * attn_output)"


def patch(model, modeling):
    edit(modeling, "MiniMaxLightningAttention", "forward", OLD, NEW)
