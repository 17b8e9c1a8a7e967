# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The residual is taken before the norm."""

from source_edit import edit

OLD = "hidden_states = self.input_layernorm(hidden_states)\n    residual = hidden_states"
NEW = "residual = hidden_states\n    hidden_states = self.input_layernorm(hidden_states)"


def patch(model, modeling):
    edit(modeling, "MiniMaxDecoderLayer", "forward", OLD, NEW)
