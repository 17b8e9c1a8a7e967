# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Block-sparse attention of MiniMax-M3: how the list of blocks becomes a mask."""

from plants.plant import patch, source

MASK = "Indexer.build_block_mask"
KEEP = "keep = block_keep & padding_mask"
SAFE = "safe = block_indices.masked"
KEY = "key = torch.arange(key_length) - position_ids[:, None, :, None]\n        "  # 0: the query's slot, 1: the next
GROUPS = "repeat_interleave(self.config.num_attention_heads // n_idx_heads, dim=1)"


def blocks(name: str, does: str, new: str, **about) -> None:
    """Edits the block list that attention reads."""
    source(name, does, MASK, (SAFE, f"block_indices = {new}\n    {SAFE}"), **about)


patch("sparse_is_dense", fault="sparse-is-dense")
source("sparse_next_block", "the block after each selected one is read", MASK,
       ("bias = bias[..., :num_key_blocks]", "bias = torch.cat([bias[..., :1], bias[..., :num_key_blocks - 1]], -1)"),
       fault="sparse-next-block")
source("sparse_keys_shifted", "blocks begin one key late", MASK,
       (KEEP, f"block_keep = torch.cat([block_keep[..., :1], block_keep[..., :-1]], -1)\n        {KEEP}"))
source("sparse_not_causal", "queries attend to all keys of listed blocks, even future keys and padding", MASK,
       (KEEP, "keep = block_keep & torch.ones_like(padding_mask)"), fault="sparse-not-masked")
source("sparse_one_future_key", "every query also attends to the next key", MASK,
       (KEEP, KEY + "keep = block_keep & (padding_mask | ((key == 1) & padding_mask.any(2, True)))"),
       fault="sparse-one-future-key")
source("sparse_misses_own_key", "no query but the first sees its own key", MASK,
       (KEEP, KEY + "keep = block_keep & padding_mask & ((key != 0) | (position_ids[:, None, :, None] == 0))"),
       fault="sparse-misses-its-own-key")
source("sparse_padding_visible", "keys of padding are not masked", MASK, ("if attention_mask is not None:", "if False:"),
       fault="sparse-padding-visible")
blocks("sparse_last_of_list_lost", "the last entry of the block list is not read",
       "torch.cat([block_indices[..., :-1], block_indices[..., -1:] * 0 - 1], -1)", fault="sparse-last-of-list-lost")
blocks("sparse_first_of_list_lost", "the first entry of the block list is not read",
       "torch.cat([block_indices[..., :1] * 0 - 1, block_indices[..., 1:]], -1)", fault="sparse-first-of-list-lost")
blocks("sparse_list_of_other_token", "each token reads the blocks selected for its neighbour", "block_indices.roll(1, -2)",
       fault="sparse-list-of-other-token")
blocks("sparse_list_of_other_group", "groups read the blocks selected for another group", "block_indices.flip(1)",
       fault="sparse-list-of-other-group", releases="5.13.0")
blocks("sparse_list_of_first_group", "all groups read the blocks selected for the first", "block_indices[:, :1].expand_as(block_indices)",
       fault="sparse-list-of-first-group", releases="5.13.0")
source("sparse_groups_in_turn", "query heads use the lists of blocks in turn, not group by group", MASK,
       (GROUPS, "repeat(1, self.config.num_attention_heads // n_idx_heads, 1, 1)"), releases="5.13.0")
