# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What can be captured: the settings of one golden and their command line options."""

from __future__ import annotations

import argparse
import dataclasses
import re
from dataclasses import dataclass, field

OLDEST = {"m3": "5.12.0", "m2": "5.1.0", "text01": "4.56.2"}  # oracles by model: this release and later ones
NEWEST_MAJOR = 5  # nobody has read later ones
AUX_IN_VL = "5.18.0"  # from this release on the multimodal model has an aux loss
IMAGE, VIDEO = 5, 6  # placeholder tokens
FIRST_TOKEN = 8  # lower ids are pad (0), bos, eos and the image / video placeholders
FEW = (  # enough to replay layer by layer: every discrete choice, every layer boundary, every history
    "text/embed/out", "text/rope/*", "text/layers/*/in", "text/layers/[0-9][0-9]/out", "text/layers/*/cache/*",
    "text/layers/*/indexer/block_indices", "text/layers/*/router/indices", "text/lm_head/out", "loss", "aux_loss",
)
EXACT = ("loss", "aux_loss", "splice/out", "vision/*/rope/*", "vision/*/merger/linear_2/out", "text/rope/*", "text/layers/[0-9][0-9]/out", "text/layers/*/indexer/block_indices",
         "text/layers/*/router/indices", "text/final_norm/out", "text/lm_head/out")


class SettingsError(Exception):
    """The settings contradict each other; the message says what to change."""


def release(version: str) -> tuple[int, ...]:
    """"5.12.0" as numbers that can be compared; () if it is no release."""
    return tuple(int(part) for part in version.split(".")) if re.fullmatch(r"\d+\.\d+\.\d+", version) else ()


def records(model: str, version: str) -> bool:
    """Whether the scripts can record `model` from this release. What a release changed is data (core/plans/profiles)."""
    return release(OLDEST[model]) <= release(version) < (NEWEST_MAJOR + 1,)


def grids(text: str) -> tuple[tuple[int, int, int], ...]:
    """"1x4x6,2x2x2": frames, rows and columns of patches of every medium."""
    return tuple(tuple(int(n) for n in part.split("x")) for part in text.split(",") if part)


def ints(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


def opt(default, help_text, kind=None, choices=None):
    return field(default=default, metadata={"help": help_text, "kind": kind or type(default), "choices": choices})


@dataclass(frozen=True)
class Settings:
    model: str = opt("m3", "model that is recorded", choices=tuple(OLDEST))
    transformers: str = opt("", "oracle version that must be imported (default: any supported)")
    seed: int = opt(1, "seed of weights and tokens")
    dtype: str = opt("bf16", "working type of the recorded run", choices=("bf16", "f32", "f64"))
    attention: str = opt("eager", "attention implementation", choices=("eager", "sdpa"))
    lengths: tuple = opt((71, 52), "real tokens per sequence, right padded to the longest", ints)
    even: bool = opt(False, "allow sequences of the same length, for engines without padding")
    decode: int = opt(2, "number of decode calls (one new token each) after the prefill")
    chunk: int = opt(6, "new tokens of the last call (0 = no such call)")
    history: int = opt(0, "tokens before the first recorded call, of which only the caches are recorded", int)
    drawn: bool = opt(False, "the caches of tokens that are not recorded are drawn numbers, not computed")
    then: str = opt("", "what follows the prefill, instead of --decode and --chunk, with edits of the cache in between: "
                        "decode,reorder:1-0,select:1,repeat:3,crop:~6,chunk:4,skip:64")
    cache: str = opt("dynamic", "dynamic, or static:LEN for buffers of LEN slots (M3, M2)", str)
    hidden: int = opt(28, "width of the residual stream")
    layers: int = opt(2, "decoder layers")
    heads: int = opt(6, "query heads")
    kv_heads: int = opt(2, "key/value heads")
    head_dim: int = opt(12, "width of a head")
    partial_rotary: float = opt(0.5, "rotated share of a head")
    rope_theta: int = opt(5000000, "base of the rotary frequencies")
    rope_parameters: bool = opt(False, "M2: write the rotated share into rope_parameters, where every release reads it")
    attn: tuple = opt((0, 1), "1 = block-sparse (Text-01: lightning), 0 = dense attention, one entry per layer", ints)
    moe: tuple = opt((0, 1), "1 = experts, 0 = dense MLP, one entry per layer", ints)
    dense_inter: int = opt(30, "inner width of the dense MLP")
    shared_inter: int = opt(22, "inner width of the shared expert")
    inter: int = opt(18, "inner width of a routed expert")
    experts: int = opt(8, "routed experts")
    top_k: int = opt(3, "experts per token")
    index_heads: int = opt(2, "heads of the block indexer")
    index_dim: int = opt(10, "width of an index head")
    block: int = opt(4, "keys (Text-01: tokens) per block")
    topk_blocks: int = opt(5, "blocks kept per query, local blocks included")
    local_blocks: int = opt(1, "blocks that are always kept, the query's own included")
    vocab: int = opt(48, "vocabulary")
    vision_hidden: int = opt(8, "width of the vision tower; 0 = no vision tensors in the checkpoint")
    vision_layers: int = opt(1, "layers of the vision tower")
    vision_heads: int = opt(1, "heads of the vision tower")
    vision_inter: int = opt(0, "inner width of the vision MLP (0: 4 above --vision-hidden)")
    patch_size: int = opt(14, "pixels along a side of a patch")
    images: tuple = opt((), "grids of the prefill's images, for example 1x4x6,1x2x4 (T x H x W patches)", grids)
    videos: tuple = opt((), "grids of the prefill's videos, for example 3x2x4", grids)
    aux: bool = opt(False, "the multimodal model's router aux loss (transformers 5.18.0 and later)")
    text_only: bool = opt(False, "the text-only class, with router aux loss (implies --vision-hidden 0)")
    items: int = opt(0, "num_items_in_batch of the prefill's loss, as a trainer gives it (0: not given)")
    head: str = opt("", "Text-01: a head instead of the language model's", choices=("sequence", "token", "question"))
    labels: int = opt(3, "labels of a sequence or token head")
    numbers: bool = opt(False, "labels are real numbers: one label means regression, several mean independent classes")
    problem: str = opt("", "problem_type of the configuration", choices=("single_label_classification", "regression",
                                                                       "multi_label_classification"))
    keep: tuple = opt((), "record only taps that match one of these globs (TAP or NNN/TAP)", str)
    drop: tuple = opt((), "do not record taps that match one of these globs", str)
    exact: tuple = opt(EXACT, "taps recorded under exact/ (no value: none)", str)

    @property
    def static_slots(self) -> int:
        """Slots of a static cache; 0: the cache grows."""
        return int(self.cache.partition(":")[2] or 0)

    @property
    def skips(self) -> bool:
        """Whether some tokens are computed without being recorded."""
        return self.history > 0 or "skip:" in self.then

    @property
    def aux_loss(self) -> bool:
        return not self.head and (self.text_only or self.aux or self.model != "m3")

    @property
    def rotary_dim(self) -> int:
        return int(self.head_dim * self.partial_rotary)


def check(s: Settings) -> None:
    """Refuses sizes that the implementation cannot run, or would run with another meaning."""
    rules = (
        (s.heads % s.kv_heads == 0, f"--heads {s.heads} must be a multiple of --kv-heads {s.kv_heads}"),
        (s.model == "m2" or s.heads % s.index_heads == 0, f"--heads {s.heads} must be a multiple of --index-heads {s.index_heads}"),
        (s.rotary_dim > 0 and s.rotary_dim % 2 == 0,
         f"--head-dim {s.head_dim} x --partial-rotary {s.partial_rotary} "
         f"rotates {s.rotary_dim} channels; an even number of 2 or more is needed"),
        (s.rotary_dim <= s.head_dim, "--partial-rotary must not exceed 1"),
        (s.model == "m2" or s.rotary_dim <= s.index_dim, f"--index-dim {s.index_dim} is below the rotated width {s.rotary_dim}"),
        (len(s.attn) == s.layers, f"--attn has {len(s.attn)} entries for --layers {s.layers}"),
        (len(s.moe) == s.layers, f"--moe has {len(s.moe)} entries for --layers {s.layers}"),
        (set(s.attn + s.moe) <= {0, 1}, "--attn and --moe take a list of 0 and 1"),
        (0 < s.top_k < s.experts, f"--top-k {s.top_k} must be below --experts {s.experts}"),
        (0 <= s.local_blocks <= s.topk_blocks,
         f"--local-blocks {s.local_blocks} exceeds --topk-blocks {s.topk_blocks}"),
        (min(s.lengths) > 1, "--lengths: at least two tokens per sequence"),
        (not s.even or len(set(s.lengths)) == 1, "--even needs --lengths that are all the same"),
        (s.decode >= 0 and s.chunk >= 0, "--decode and --chunk must not be negative"),
        (s.vocab > FIRST_TOKEN, f"--vocab must be above {FIRST_TOKEN} (reserved ids)"),
        (s.vision_hidden == 0 or s.vision_hidden >= 8, "--vision-hidden must be 0 or at least 8 (three rotary axes)"),
        (min(s.hidden, s.dense_inter, s.shared_inter, s.inter, s.block, s.layers, s.head_dim) > 0,
         "--hidden, --layers, --head-dim, --block and the inner widths must be > 0"),
        (s.vision_hidden % s.vision_heads == 0 and (s.vision_hidden // s.vision_heads >= 6 or not s.vision_hidden),
         f"--vision-hidden {s.vision_hidden} / --vision-heads {s.vision_heads}: heads need 6 or more channels"),
        (not (s.images + s.videos) or (s.vision_hidden > 0 and not s.text_only),
         "--images and --videos need a vision tower (--vision-hidden, not --text-only)"),
        (all(len(g) == 3 and min(g) > 0 and g[1] % 2 == g[2] % 2 == 0 for g in s.images + s.videos),
         "--images and --videos: expected TxHxW, such as 1x4x6, with even H and W"),
        (not s.transformers or records(s.model, s.transformers),
         f"--transformers {s.transformers}: {s.model} is recorded from {OLDEST[s.model]} to the latest {NEWEST_MAJOR}.x"),
        (not s.aux or s.text_only or (s.transformers and release(s.transformers) >= release(AUX_IN_VL)),
         f"--aux needs --transformers {AUX_IN_VL} or later: earlier multimodal models have no such loss"),
        (not s.head or (s.model == "text01" and s.decode == s.chunk == 0 and not s.then),
         "--head needs --model text01 and a single call (--decode 0 --chunk 0)"),
        (not s.skips or (s.model != "text01" and s.cache == "dynamic" and not s.images + s.videos and not s.items),
         "--history and skip: record M3 and M2 on a growing cache, without images, videos and losses"),
        (not s.skips or not s.exact or s.dtype == "f64", "--history and skip: the run in binary64 has no history; give --exact without values"),
        (not s.history or len(set(s.lengths)) == 1, "--history needs --lengths that are all the same"),
        (re.fullmatch("dynamic|static:[1-9][0-9]*", s.cache), f"--cache {s.cache}: expected dynamic or static:LEN"),
        (s.cache == "dynamic" or s.model != "text01",
         "--cache static:LEN: MiniMax-Text-01 accepts only its own cache; use --cache dynamic"),
        (s.model != "m2" or (not any(s.attn) and all(s.moe)), "--model m2 needs --attn 0,0,… and --moe 1,1,…"),
    )
    text01 = s.model == "text01"  # Text-01 has no indexer, no dense MLPs and no vision
    for holds, message in rules:
        if text01 and any(option in message for option in ("--index-", "--moe", "--local-blocks", "--vision")):
            continue
        if not holds:
            raise SettingsError(message)


def add_options(parser: argparse.ArgumentParser) -> None:
    """One option per field; an option that is not given keeps the preset's value."""
    group = parser.add_argument_group("settings (each overrides the preset)")
    for f in dataclasses.fields(Settings):
        name, kind = "--" + f.name.replace("_", "-"), f.metadata["kind"]
        shown = ",".join(map(str, f.default)) if kind in (ints, grids) else f.default
        text = f.metadata["help"] + ("" if kind is str or kind is bool else f" [{shown}]")
        if kind is bool:
            group.add_argument(name, action="store_true", default=None, help=text)
        elif f.name in ("keep", "drop", "exact"):
            group.add_argument(name, nargs="*", metavar="GLOB", help=text)
        else:
            group.add_argument(name, type=kind, choices=f.metadata["choices"], help=text,
                               metavar=None if f.metadata["choices"] else "N,N" if kind is ints else "TxHxW" if kind is grids else "N")


def from_options(args: argparse.Namespace, base: Settings) -> Settings:
    """Settings from `base` (a preset or the defaults) and the given options, which override it; checked."""
    given = {f.name: getattr(args, f.name) for f in dataclasses.fields(Settings) if getattr(args, f.name) is not None}
    for name in ("keep", "drop", "exact"):
        if name in given:
            given[name] = tuple(given[name])
    if args.taps == "few" and "keep" not in given:
        given["keep"] = FEW
    result = dataclasses.replace(base, **given)
    check(result)
    return result
