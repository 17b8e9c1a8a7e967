# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Sparse layers attend to everything that is visible (fault I11); the selection itself is right."""


def patch(model, modeling):
    build = modeling.MiniMaxM3VLIndexer.build_block_mask

    def build_block_mask(self, block_indices, attention_mask, key_length, *rest):
        blocks = -(-key_length // self.block_size)
        all_blocks = block_indices.new_zeros(*block_indices.shape[:-1], blocks) + block_indices.new_tensor(range(blocks))
        return build(self, all_blocks, attention_mask, key_length, *rest)

    modeling.MiniMaxM3VLIndexer.build_block_mask = build_block_mask
