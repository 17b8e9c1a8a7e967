# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The block of the query itself competes like any other (fault I12)."""


def patch(model, modeling):
    for module in model.modules():
        if isinstance(module, modeling.MiniMaxM3VLIndexer):
            module.local_blocks = 0
