# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The block indexer of MiniMax-M3: its own normed and rotated queries and keys, scores in binary32, the largest per block."""

from plants.plant import layers_of, patch, plant, source
from source_edit import rewrite

FORWARD = "Indexer.forward"
KEYS = "k_len = idx_k.shape[2]"  # idx_k: keys of all calls by now
FUTURE = "> position_ids[:, None, :, None]"
POOL = "scores.amax(dim=-1)"
LATER = "idx_k = idx_k if q_len == idx_k.shape[2] else "

source("index_rope_missing", "index queries and keys are not rotated", FORWARD,
       ("cos[..., : self.head_dim]", "torch.ones_like(cos[..., : self.head_dim])"),
       ("sin[..., : self.head_dim]", "torch.zeros_like(sin[..., : self.head_dim])"), fault="indexer_rope-missing")
source("index_k_rope_missing", "index keys are not rotated", "apply_rotary_pos_emb",  # index keys have one head
       ("return q_embed, k_embed", "return q_embed, k if k.shape[1] == 1 else k_embed"), fault="indexer_k_rope-missing")
source("index_norm_after_rope", "index queries and keys are normalised after the rotation", FORWARD,
       ("self.q_norm(idx_q)", "idx_q"), ("self.k_norm(idx_k)", "idx_k"),
       ("sin[..., : self.head_dim])", "sin[..., : self.head_dim])\n    idx_q, idx_k = self.q_norm(idx_q), self.k_norm(idx_k)"))


@plant("only the indexer's norms multiply by w instead of 1 + w", fault="indexer_norm-without-one")
def index_norm_without_one(model, m):
    for layer in layers_of(model):
        for norm in ("q_norm", "k_norm") if layer.self_attn.indexer else ():
            rewrite(getattr(layer.self_attn.indexer, norm), "forward", ("(1.0 + self.weight.float())", "self.weight.float()"))


source("index_scores_scaled", "index scores are divided by the square root of the head's width", FORWARD,
       ("idx_k.float().transpose(-1, -2))", "idx_k.float().transpose(-1, -2)) * self.head_dim ** -0.5"),
       fault="index_scores-scaled")
source("index_scores_in_t", "index scores are computed in the working type", FORWARD,
       ("torch.matmul(idx_q.float(), idx_k.float().transpose(-1, -2))", "torch.matmul(idx_q, idx_k.transpose(-1, -2)).float()"),
       fault="index_scores-in-T", dtype="bf16")
source("index_mean_pooled", "the block's score is the mean of its visible scores", FORWARD,
       (POOL, "(scores.masked_fill(scores == -torch.inf, 0).sum(-1) / (scores > -torch.inf).sum(-1)).nan_to_num(nan=-torch.inf)"),
       fault="index_scores-mean")
source("index_log_sum_pooled", "a block's score is the log-sum-exp of its scores, not the maximum", FORWARD,
       (POOL, "scores.logsumexp(dim=-1)"), fault="index_scores-log-sum")
source("index_heads_summed", "the sum of the index heads is taken instead of the maximum", FORWARD,
       (".amax(dim=1)", ".sum(dim=1)"),
       fault="index_scores-heads-summed", releases="5.12.0")
source("index_heads_of_first", "every index head uses the scores of the first", FORWARD,
       (KEYS, f"idx_q = idx_q[:, :1].expand_as(idx_q)\n    {KEYS}"),
       fault="index_scores-heads-of-first")
source("index_shared_list", "groups share the largest score, as the release before selected", FORWARD,
       ("block_scores = scores.amax(dim=-1)  #",
        "block_scores = scores.amax(dim=-1).amax(1, True).repeat(1, self.num_heads, 1, 1)  #"),
       fault="index_scores-shared", releases="5.13.0")
source("index_strictly_causal", "scores exclude the query's own key", FORWARD, (FUTURE, ">= position_ids[:, None, :, None]"),
       fault="index_scores-strictly-causal")
source("index_one_future_key", "scores include the next key", FORWARD, (FUTURE, FUTURE + " + 1"),
       fault="index_scores-one-future-key")
source("index_not_causal", "scores include all future keys", FORWARD,
       ('scores = scores.masked_fill(token_future, float("-inf"))', "scores = scores * 1"), fault="index_scores-not-causal")
source("index_keys_misaligned", "index keys of later calls are shifted by one slot", FORWARD,
       (KEYS, f"{LATER}idx_k.roll(-1, 2)\n    {KEYS}"), fault="index_scores-keys-misaligned")
source("index_history_lost", "later calls score only the keys of the same call", FORWARD,
       (KEYS, f"idx_k = torch.cat([idx_k[:, :, :-q_len] * 0, idx_k[:, :, -q_len:]], 2)\n    {KEYS}"),
       fault="index_scores-history-lost")
source("index_keys_of_other_sequence", "later calls score the index keys of the other sequence", FORWARD,
       (KEYS, f"{LATER}idx_k.flip(0)\n    {KEYS}"), fault="index_scores-keys-of-other-sequence")
source("index_newest_key_missing", "later calls read the key before the newest instead of the newest", FORWARD,
       (KEYS, f"{LATER}torch.cat([idx_k[:, :, :-1], idx_k[:, :, -2:-1]], 2)\n    {KEYS}"))
patch("index_keys_shifted")
