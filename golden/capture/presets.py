# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The goldens under golden/data/: >= 17 key blocks, a partial last one, two sequences of unequal length.

All together stay below 18 MB, so sizes are small and each golden keeps the taps that only it can show."""

from __future__ import annotations

from settings import FEW, Settings

LEAN = ("000/*/indexer/scores", "000/*/experts/slot_weighted")  # large taps, which only the later, smaller calls record
LEANER = LEAN + ("000/*/experts/slot_activation",)
ATTENTION = LEANER + ("text/layers/*/mlp/*", "text/layers/*/moe/shared/*", "text/layers/*/moe/experts/*")
YARDSTICK = ("loss", "aux_loss", "text/rope/*", "text/layers/*/indexer/block_indices", "text/layers/*/router/indices",
             "text/lm_head/out")

TOWER = ("vision/*", "splice/out", "text/embed/out", "text/layers/*/in", "text/layers/[0-9][0-9]/out",
         "text/layers/*/indexer/block_indices", "text/layers/*/router/*", "text/lm_head/out", "loss", "aux_loss")

EDITED = FEW + ("text/layers/*/attention/core/out", "text/layers/*/attention/[qkv]*", "text/layers/*/moe/router/*",
                "tables/*")

STATIC = ("text/layers/*/in", "text/layers/*/cache/*", "text/layers/*/attention/core/out", "text/layers/*/attention/[qk]_rope/out",
          "text/layers/*/attention/v_proj/out", "text/layers/*/indexer/*k_rope/out", "text/layers/*/indexer/q_rope/out",
          "text/layers/*/indexer/scores", "text/layers/*/indexer/block_*", "text/layers/*/router/indices", "text/lm_head/out")

# Below a head, only layer boundaries and choices of the base model: other goldens record the inner taps.
BELOW_HEADS = ("text/rope/*", "text/layers/*/in", "text/layers/[0-9][0-9]/out", "text/layers/*/attention/core/out",
               "text/layers/*/router/indices", "text/final_norm/out", "text/score/out", "text/qa_outputs/out", "text/pooled/*", "loss")


def on_base(head: str, seed: int, labels: int = 3, numbers: bool = False) -> Settings:
    return Settings(
        transformers="4.56.2", model="text01", head=head, labels=labels, numbers=numbers, seed=seed, dtype="f32", lengths=(11, 7, 9, 5),
        decode=0, chunk=0, keep=BELOW_HEADS, exact=(),
        hidden=8, layers=2, heads=4, kv_heads=2, head_dim=4, attn=(1, 0), moe=(1, 1), partial_rotary=0.5,
        rope_theta=1000000, inter=6, experts=4, top_k=2, block=4, vision_hidden=0, vocab=20)


# For engines that know no padding, in shapes that real ones load: the shared expert as wide as the others, dense layers first,
# sparse attention exactly where experts are, an index head per key head, heads of whole vectors (32 channels).
def even_m3(dtype: str, seed: int) -> Settings:
    return Settings(
        transformers="5.23.0", seed=seed, dtype=dtype, even=True, lengths=(66, 66), decode=1, chunk=3,
        drop=LEANER, exact=YARDSTICK,
        hidden=64, layers=2, heads=4, kv_heads=2, head_dim=32, attn=(0, 1), moe=(0, 1),
        dense_inter=96, shared_inter=32, inter=32, experts=8, top_k=3,
        index_heads=2, index_dim=32, block=4, topk_blocks=5, local_blocks=1, vision_hidden=0, vocab=64)


def even_m2(dtype: str, seed: int, release: str, exact: tuple, parameters: bool) -> Settings:
    return Settings(
        model="m2", transformers=release, seed=seed, dtype=dtype, even=True, lengths=(37, 37), decode=1, chunk=5,
        drop=LEANER, exact=exact, rope_parameters=parameters,
        hidden=64, layers=2, heads=4, kv_heads=2, head_dim=32, attn=(0, 0), moe=(1, 1), inter=32, experts=8, top_k=3,
        vocab=64)


# For recordings of several ranks (capture_ranks.py): 8 query heads, fewer key heads than ranks, 8 experts, and words
# of which the last of 8 ranks has fewer.
def ranks(model: str, dtype: str, seed: int) -> Settings:
    return Settings(
        model=model, transformers="5.23.0", seed=seed, dtype=dtype, lengths=(35, 24), decode=1, chunk=3,
        drop=LEANER, exact=(),
        hidden=16, layers=2, heads=8, kv_heads=2 if model == "m3" else 4, head_dim=8, attn=(0, int(model == "m3")),
        moe=(int(model == "m2"), 1), dense_inter=18, shared_inter=12, inter=16, experts=8, top_k=3,
        index_heads=2, index_dim=8, block=2, topk_blocks=5, local_blocks=1, vision_hidden=0, vocab=36)


def counted(text_only: bool) -> Settings:
    return Settings(
        transformers="5.12.0", seed=131, dtype="f32", lengths=(35, 24), decode=0, chunk=0, text_only=text_only, items=57,
        drop=LEANER, exact=(),
        hidden=8, layers=2, heads=3, kv_heads=1, head_dim=4, attn=(0, 1), moe=(0, 1),
        dense_inter=12, shared_inter=6, inter=6, experts=5, top_k=2, index_heads=1, index_dim=4, block=2, topk_blocks=4,
        local_blocks=1, vision_hidden=0, vocab=20,
        keep=FEW + ("text/layers/*/moe/router/*", "*/indexer/block_scores", "text/layers/*/*_norm/out",
                    "text/layers/*/attention/o_proj/out", "text/final_norm/out"))


PRESETS = {
    # One block list per query, shared by all heads; decode and a chunk on the filled cache.
    "m3-text-bf16": Settings(
        transformers="5.12.0", seed=101, dtype="bf16", lengths=(53, 39), decode=2, chunk=6, drop=LEAN, exact=YARDSTICK,
        hidden=20, layers=2, heads=6, kv_heads=2, head_dim=8, attn=(0, 1), moe=(0, 1),
        dense_inter=26, shared_inter=18, inter=14, experts=8, top_k=3,
        index_heads=2, index_dim=10, block=3, topk_blocks=5, local_blocks=1, vocab=36),
    # One list per GQA group; odd widths everywhere, three groups of three heads.
    "m3-text-pergroup-bf16": Settings(
        transformers="5.13.0", seed=102, dtype="bf16", lengths=(50, 37), decode=1, chunk=5, drop=LEAN, exact=YARDSTICK,
        hidden=17, layers=2, heads=9, kv_heads=3, head_dim=8, attn=(0, 1), moe=(0, 1),
        dense_inter=19, shared_inter=15, inter=13, experts=7, top_k=2,
        index_heads=3, index_dim=7, block=3, topk_blocks=4, local_blocks=1, vision_hidden=0, vocab=25),
    # Sparse attention above experts, dense attention, a sparse layer above a dense MLP; two local blocks.
    "m3-text-f32": Settings(
        transformers="5.12.0", seed=103, dtype="f32", lengths=(33, 26), decode=0, chunk=4, drop=LEANER, exact=YARDSTICK,
        hidden=14, layers=3, heads=4, kv_heads=2, head_dim=8, attn=(1, 0, 1), moe=(1, 1, 0),
        dense_inter=18, shared_inter=12, inter=10, experts=6, top_k=2,
        index_heads=2, index_dim=9, block=2, topk_blocks=5, local_blocks=2, vision_hidden=0, vocab=20),
    # The whole run in binary64: every formula to 1e-12.
    "m3-text-f64": Settings(
        transformers="5.12.0", seed=104, dtype="f64", lengths=(33, 26), decode=1, chunk=3, drop=LEANER,
        hidden=12, layers=2, heads=6, kv_heads=2, head_dim=4, attn=(0, 1), moe=(0, 1),
        dense_inter=13, shared_inter=11, inter=9, experts=6, top_k=3,
        index_heads=2, index_dim=6, block=2, topk_blocks=5, local_blocks=1, vision_hidden=0, vocab=16),
    # Scaled-dot-product attention (no rounding of scores and probabilities); the insides of the MLPs are left out.
    "m3-text-sdpa-bf16": Settings(
        transformers="5.13.0", seed=105, dtype="bf16", attention="sdpa", lengths=(53, 41), decode=1, chunk=7,
        drop=ATTENTION, exact=YARDSTICK,
        hidden=18, layers=2, heads=8, kv_heads=2, head_dim=6, partial_rotary=0.7, attn=(0, 1), moe=(0, 1),
        dense_inter=22, shared_inter=16, inter=12, experts=9, top_k=4,
        index_heads=2, index_dim=6, block=3, topk_blocks=4, local_blocks=1, vision_hidden=0, vocab=32),
    # The text-only class with output_router_logits: `loss` contains the router aux loss, which is recorded too.
    "m3-text-only-aux": Settings(
        transformers="5.12.0", seed=106, dtype="f32", lengths=(50, 33), decode=1, chunk=0, text_only=True,
        drop=LEAN, exact=YARDSTICK,
        hidden=16, layers=2, heads=3, kv_heads=1, head_dim=12, attn=(0, 1), moe=(1, 1),
        dense_inter=20, shared_inter=12, inter=10, experts=7, top_k=2,
        index_heads=1, index_dim=8, block=3, topk_blocks=4, local_blocks=1, vocab=29,
        keep=FEW + ("text/layers/*/moe/router/*",)),
    # Two images of different size and a video in mixed prompts, then decode; all patches of a call see each other.
    "m3-vl-bf16": Settings(
        transformers="5.12.0", seed=118, dtype="bf16", lengths=(35, 39), decode=1, chunk=0, keep=TOWER, exact=YARDSTICK,
        hidden=20, layers=1, heads=4, kv_heads=2, head_dim=8, attn=(1,), moe=(1,),
        dense_inter=20, shared_inter=14, inter=12, experts=6, top_k=2,
        index_heads=2, index_dim=8, block=2, topk_blocks=5, local_blocks=1, vocab=40,
        vision_hidden=40, vision_layers=2, vision_heads=2, vision_inter=36, patch_size=4,
        images=((1, 4, 6), (1, 2, 4)), videos=((3, 4, 2),)),
    # Later releases: each image and each whole video attends to itself, and the multimodal model has an aux loss.
    "m3-vl-f32": Settings(
        transformers="5.23.0", seed=109, dtype="f32", lengths=(34, 37), decode=1, chunk=0, keep=TOWER, exact=(),
        hidden=18, layers=1, heads=4, kv_heads=2, head_dim=8, attn=(1,), moe=(1,),
        dense_inter=20, shared_inter=14, inter=12, experts=6, top_k=2, aux=True,
        index_heads=2, index_dim=8, block=2, topk_blocks=5, local_blocks=1, vocab=36,
        vision_hidden=20, vision_layers=2, vision_heads=1, vision_inter=18, patch_size=4,
        images=((1, 2, 4), (1, 4, 2), (1, 2, 2)), videos=((2, 2, 2), (1, 2, 4))),
    # The release whose tower rotates by axes.
    "m3-vl-axial-f32": Settings(
        transformers="5.17.0", seed=131, dtype="f32", lengths=(33, 35), decode=1, chunk=0, keep=TOWER, exact=(),
        hidden=12, layers=1, heads=4, kv_heads=2, head_dim=8, attn=(1,), moe=(1,),
        dense_inter=12, shared_inter=10, inter=8, experts=4, top_k=2,
        index_heads=2, index_dim=8, block=2, topk_blocks=4, local_blocks=1, vocab=28,
        vision_hidden=20, vision_layers=1, vision_heads=1, vision_inter=14, patch_size=4,
        images=((1, 2, 4), (1, 4, 2)), videos=((2, 2, 2),)),
    # Partly recorded: layer boundaries, discrete choices and histories only; the rest is spanned.
    "m3-text-partial-bf16": Settings(
        transformers="5.13.0", seed=107, dtype="bf16", lengths=(83, 66), decode=1, chunk=8, keep=FEW, exact=YARDSTICK,
        hidden=20, layers=3, heads=6, kv_heads=2, head_dim=12, attn=(0, 1, 1), moe=(0, 1, 1),
        dense_inter=28, shared_inter=18, inter=16, experts=8, top_k=2,
        index_heads=2, index_dim=8, block=5, topk_blocks=4, local_blocks=1, vision_hidden=0, vocab=32),
    # MiniMax-M2 as published: rotary_dim is in the configuration and this release rotates whole heads.
    "m2-text-bf16": Settings(
        model="m2", transformers="5.1.0", seed=108, dtype="bf16", lengths=(40, 30), decode=2, chunk=5, drop=LEAN,
        exact=YARDSTICK, hidden=20, layers=2, heads=6, kv_heads=2, head_dim=8, attn=(0, 0), moe=(1, 1), inter=14,
        experts=9, top_k=3, vocab=36),
    # Half of each head rotates, as rope_parameters says.
    "m2-text-f32": Settings(
        model="m2", transformers="5.1.0", seed=109, dtype="f32", lengths=(27, 20), decode=1, chunk=4, drop=LEANER,
        exact=YARDSTICK, hidden=14, layers=2, heads=6, kv_heads=3, head_dim=8, rope_parameters=True, attn=(0, 0),
        moe=(1, 1), inter=10, experts=7, top_k=2, vocab=24),
    # Text-01: softmax attention first, then two lightning layers; four blocks, a partial last one; a chunk on the state.
    "text01-bf16": Settings(
        transformers="4.56.2", model="text01", seed=108, dtype="bf16", lengths=(22, 15), decode=1, chunk=3,
        drop=LEANER, exact=YARDSTICK,
        hidden=14, layers=3, heads=3, kv_heads=1, head_dim=6, attn=(0, 1, 1), moe=(1, 1, 1), partial_rotary=1.0,
        rope_theta=1000000, inter=9, experts=5, top_k=2, block=6, vision_hidden=0, vocab=24),
    # Text-01 with layer 0 lightning, as published: positions must be given, because the cache does not count them.
    "text01-f32": Settings(
        transformers="4.56.2", model="text01", seed=109, dtype="f32", lengths=(17, 11), decode=2, chunk=0,
        drop=LEANER, exact=YARDSTICK,
        hidden=12, layers=3, heads=4, kv_heads=2, head_dim=4, attn=(1, 0, 1), moe=(1, 1, 1), partial_rotary=0.5,
        rope_theta=10000000, inter=8, experts=4, top_k=2, block=5, vision_hidden=0, vocab=20),
    # Later releases: padding masked in queries, keys and values; before that, an auxiliary loss of probabilities.
    "text01-masked-f32": Settings(
        transformers="5.24.0", model="text01", seed=110, dtype="f32", lengths=(17, 11), decode=1, chunk=3, exact=(),
        keep=FEW + ("text/layers/*/attention/*", "text/layers/*/moe/router/*"), drop=("*/block_states", "*/[ki]*/out"),
        hidden=10, layers=2, heads=4, kv_heads=2, head_dim=4, attn=(0, 1), moe=(1, 1), partial_rotary=0.5,
        rope_theta=10000000, inter=8, experts=4, top_k=2, block=5, vision_hidden=0, vocab=20),
    "text01-scores-bf16": Settings(
        transformers="5.5.4", model="text01", seed=114, dtype="bf16", lengths=(13, 9), decode=0, chunk=0, exact=(),
        keep=FEW + ("text/layers/*/moe/router/*",),
        hidden=8, layers=2, heads=4, kv_heads=2, head_dim=4, attn=(1, 0), moe=(1, 1), partial_rotary=0.5,
        rope_theta=10000000, inter=6, experts=4, top_k=2, block=5, vision_hidden=0, vocab=16),
    # The heads of Text-01 on its base model, one call each: a pooled class, a class of every token, a span.
    "text01-heads-sequence-f32": on_base("sequence", 121),
    "text01-heads-token-f32": on_base("token", 122),
    "text01-heads-question-f32": on_base("question", 123),
    # Losses of the sequence head for real-valued labels: one for regression, several independent ones.
    "text01-heads-number-f32": on_base("sequence", 124, labels=1, numbers=True),
    "text01-heads-labels-f32": on_base("sequence", 125, numbers=True),
    # The same prefill with num_items_in_batch: the text-only class divides by it, the multimodal one of this release does
    # not.
    "m3-text-only-items": counted(text_only=True),
    "m3-items": counted(text_only=False),
    # Goldens without padding, which engines can load and run unchanged.
    "m3-even-f32": even_m3("f32", 151),
    "m3-even-bf16": even_m3("bf16", 152),
    "m2-even-f32": even_m2("f32", 153, "5.12.0", YARDSTICK, True),
    # Heads, experts and words that two and eight ranks divide, unevenly where the package allows it.
    "m3-ranks-f32": ranks("m3", "f32", 161),
    "m3-ranks-bf16": ranks("m3", "bf16", 162),
    "m2-ranks-f32": ranks("m2", "f32", 163),
    "m2-ranks-bf16": ranks("m2", "bf16", 164),
    # MiniMax-M2 without padding, by a release that reads rotary_dim, as published; its aux loss cannot be widened.
    "m2-even-bf16": even_m2("bf16", 154, "5.18.0", (), False),
    # Published widths where kernels have tiles: heads of 64, blocks of 256 tokens, two whole ones and a partial third.
    "text01-tiles-bf16": Settings(
        transformers="4.56.2", model="text01", seed=157, dtype="bf16", even=True, lengths=(531,), decode=1, chunk=3,
        drop=LEANER, exact=("loss",),
        hidden=16, layers=2, heads=2, kv_heads=1, head_dim=64, attn=(0, 1), moe=(1, 1), partial_rotary=0.5,
        rope_theta=10000000, inter=12, experts=4, top_k=2, block=256, vision_hidden=0, vocab=24),
    # Caches edited between calls: reordered, repeated, selected, cropped. The last crop drops index keys twice.
    "m3-cache-f32": Settings(
        transformers="5.12.0", seed=121, dtype="f32", lengths=(35, 28), keep=EDITED, exact=(),
        then="decode,reorder:1-0,decode,repeat:2,chunk:3,select:0-3,decode,crop:37,decode,crop:~4",
        hidden=12, layers=2, heads=4, kv_heads=2, head_dim=8, attn=(0, 1), moe=(0, 1),
        dense_inter=14, shared_inter=11, inter=9, experts=5, top_k=2,
        index_heads=2, index_dim=6, block=2, topk_blocks=4, local_blocks=1, vision_hidden=0, vocab=24),
    # A later release, in which calls can continue after that crop.
    "m3-cache-bf16": Settings(
        transformers="5.23.0", seed=122, dtype="bf16", lengths=(35, 28), keep=EDITED, exact=(),
        then="decode,reorder:1-0,crop:~5,decode,repeat:2,crop:~2,chunk:3",
        hidden=12, layers=2, heads=4, kv_heads=2, head_dim=8, attn=(0, 1), moe=(0, 1),
        dense_inter=14, shared_inter=11, inter=9, experts=5, top_k=2,
        index_heads=2, index_dim=6, block=2, topk_blocks=4, local_blocks=1, vision_hidden=0, vocab=24),
    "m2-cache-f32": Settings(
        model="m2", transformers="5.12.0", seed=123, dtype="f32", lengths=(14, 11), keep=EDITED, exact=(),
        then="decode,reorder:1-0,decode,repeat:2,select:3-0,crop:12,decode,crop:~2,chunk:3",
        hidden=10, layers=2, heads=4, kv_heads=2, head_dim=8, rope_parameters=True, attn=(0, 0), moe=(1, 1), inter=8,
        experts=5, top_k=2, vocab=20),
    # Caches of fixed length: buffers with more slots than are ever used, and the one edit that these releases support.
    "m3-static-f32": Settings(
        transformers="5.12.0", seed=141, dtype="f32", lengths=(35, 24), keep=STATIC, exact=(), cache="static:44",
        then="decode,reorder:1-0,chunk:3",
        hidden=8, layers=1, heads=2, kv_heads=1, head_dim=4, attn=(1,), moe=(1,),
        dense_inter=4, shared_inter=6, inter=6, experts=5, top_k=2, index_heads=1, index_dim=4, block=2, topk_blocks=4,
        local_blocks=1, vision_hidden=0, vocab=16),
    # A release that drops the last tokens of such caches: their keys stay in the buffer until later calls overwrite them.
    "m3-static-crop-f32": Settings(
        transformers="5.24.0", seed=142, dtype="f32", lengths=(35, 24), keep=STATIC, exact=(), cache="static:43",
        then="decode,crop:~4,chunk:3,reorder:1-0,crop:~1,decode",
        hidden=8, layers=1, heads=2, kv_heads=2, head_dim=4, attn=(1,), moe=(1,),
        dense_inter=4, shared_inter=6, inter=6, experts=5, top_k=2, index_heads=2, index_dim=4, block=2, topk_blocks=4,
        local_blocks=1, vision_hidden=0, vocab=16),
    "m2-static-f32": Settings(
        model="m2", transformers="5.1.0", seed=144, dtype="f32", lengths=(9, 6), keep=STATIC, exact=(),
        cache="static:17", then="decode,chunk:3",
        hidden=8, layers=1, heads=2, kv_heads=1, head_dim=4, rope_parameters=True, attn=(0,), moe=(1,), inter=6,
        experts=5, top_k=2, vocab=16),
    # Rows of a prompt of 32821 tokens, of the sparse layer alone: 24 up to the 2048th, behind which published blocks
    # begin to be left out, and the last 24.
    "m3-long-bf16": Settings(
        transformers="5.23.0", seed=171, dtype="bf16", even=True, history=2024, lengths=(24,),
        then=f"skip:{32821 - 2048 - 24},chunk:24", keep=("00[02]/text/layers/01/cache/*", "text/rope/*", "text/layers/01/*"),
        exact=(),
        hidden=16, layers=2, heads=4, kv_heads=2, head_dim=4, attn=(0, 1), moe=(0, 1),
        dense_inter=18, shared_inter=14, inter=12, experts=8, top_k=3,
        index_heads=2, index_dim=4, block=128, topk_blocks=16, local_blocks=1, vision_hidden=0, vocab=48),
    # Edits of caches with states of lightning attention, which cannot be cropped, as well as keys and values.
    "text01-cache-f32": Settings(
        transformers="4.56.2", model="text01", seed=124, dtype="f32", lengths=(13, 9), keep=EDITED, exact=(),
        then="decode,reorder:1-0,decode,repeat:2,decode,select:0-3,decode",
        hidden=12, layers=3, heads=4, kv_heads=2, head_dim=4, attn=(1, 0, 1), moe=(1, 1, 1), partial_rotary=0.5,
        rope_theta=10000000, inter=8, experts=4, top_k=2, block=5, vision_hidden=0, vocab=20),
}
