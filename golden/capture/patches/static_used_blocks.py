# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A static cache: the indexer counts blocks over the slots in use, not over the buffer."""


def patch(model, modeling):
    layer = modeling.MiniMaxM3VLSparseStaticCacheLayer
    original = layer.update_index
    layer.update_index = lambda self, keys: original(self, keys)[:, :, : int(self.idx_cumulative_length)]
