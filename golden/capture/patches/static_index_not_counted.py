# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A static cache: the counter of index keys stands still, later calls overwrite one another."""


def patch(model, modeling):
    layer = modeling.MiniMaxM3VLSparseStaticCacheLayer
    original = layer.update_index

    def update_index(self, keys):
        result = original(self, keys)
        if int(self.idx_cumulative_length) > keys.shape[-2]:
            self.idx_cumulative_length.sub_(keys.shape[-2])
        return result

    layer.update_index = update_index
