# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The routing weights are not divided by their sum."""

from source_edit import edit

OLD = "routing_weights /= routing_weights.sum(dim=-1, keepdim=True)"
NEW = "pass"


def patch(model, modeling):
    edit(modeling, "MiniMaxSparseMoeBlock", "forward", OLD, NEW)
