# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Selection of key blocks in MiniMax-M3: local blocks forced, the best in order of their scores, -1 to the end."""

from plants.plant import patch, source

FORWARD = "Indexer.forward"
LIST = 'return topk_indices.masked_fill(topk_scores == float("-inf"), -1)'
TOPK = "topk = min(self.topk_blocks, num_key_blocks)"


def listed(name: str, does: str, new: str, **about) -> None:
    """Edits the returned list, whose name is `ids`."""
    source(name, does, FORWARD, (LIST, LIST.replace("return", "ids =") + f"\n    {new}"), **about)


patch("local_block_not_forced", fault="select-local-not-forced")
source("local_two", "the block before a query's own is also forced", FORWARD,
       ("torch.arange(self.local_blocks,", "torch.arange(self.local_blocks + 1,"), fault="select-two-local")
source("local_of_token_in_front", "the block of the previous token is forced", FORWARD,
       ("q_block = position_ids //", "q_block = (position_ids - 1).clamp(min=0) //"), fault="select-local-of-neighbour")
source("local_wrong_block", "the block before a query's own is forced instead of its own", FORWARD,
       ("(q_block[..., None] - local", "(q_block[..., None] - 1 - local"), fault="select-local-one-early")
source("first_block_forced", "the first block is always selected", FORWARD,
       ("topk = min(", "block_scores[..., 0] = 1e30\n    topk = min("), fault="select-first-forced")
source("list_one_longer", "one block too many is selected", FORWARD,
       (TOPK, "topk = min(self.topk_blocks + 1, num_key_blocks)"))
source("list_one_shorter", "the list of blocks is one entry too short", FORWARD,
       (TOPK, "topk = min(self.topk_blocks - 1, num_key_blocks)"))
source("list_smallest", "the visible blocks with the smallest scores are selected", FORWARD,
       ("q_block = position_ids",
        "block_scores = block_scores.where(block_scores == -torch.inf, -block_scores)\n    q_block = position_ids"),
       fault="select-smallest")
source("list_of_first_group", "all groups use the selection of the first", FORWARD,
       ("block_scores.topk(topk, dim=-1)", "block_scores[:, :1].expand_as(block_scores).topk(topk, dim=-1)"),
       fault="select-of-first-group", releases="5.13.0")
source("list_future_not_padded", "blocks that no query sees stay in the list", FORWARD, (LIST, "return topk_indices"))
listed("list_ends_in_zeros", "unused entries of the list are 0 instead of -1", "return ids.clamp(min=0)", fault="select-sentinels-are-zero")
listed("list_last_left_out", "one block too few is selected", "ids[..., -1] = -1\n    return ids",
       fault="select-one-less")
listed("list_ids_plus_one", "block ids start at one", "return torch.where(ids < 0, ids, ids + 1)", fault="select-ids-plus-one")
listed("list_ascending", "blocks are listed by id, not by score",
       "ids = ids.masked_fill(ids < 0, 10**6).sort(-1).values\n    return ids.masked_fill(ids == 10**6, -1)",
       fault="select-ascending")
listed("list_duplicate", "the best block is listed twice", "ids[..., 1] = ids[..., 0]\n    return ids", fault="select-duplicate")
