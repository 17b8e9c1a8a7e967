# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The forward calls of a golden: a right-padded prefill, decode steps and a chunk, all on one cache."""

from __future__ import annotations

import copy
from contextlib import nullcontext
from dataclasses import dataclass, field

import numpy as np
import torch

import cache_edits
import heads
import media
import static_cache
from binary64 import binary64
import text01
from recorder import Recorder, kept
from settings import FIRST_TOKEN, Settings
from text01_recorder import Text01Recorder

PAD, IGNORED = 0, -100
PIECE = 512  # tokens of a call that is not recorded


@dataclass
class Step:
    kind: str  # prefill, decode, chunk or cache
    tokens: dict  # input_ids, position_ids, attention_mask, labels (prefill); cache_rows (cache)
    media: dict = field(default_factory=dict)  # pixels and grids (prefill)
    taps: dict = field(default_factory=dict)
    exact: dict = field(default_factory=dict)
    edit: tuple = ()  # an edit of the cache: nothing is computed
    skipped: dict = field(default_factory=dict)  # tokens of calls that are not recorded, which fill the cache
    filled: object = None  # the cache behind them


def plan(s: Settings) -> list[Step]:
    """Tokens, positions, masks and labels. Positions equal slots; pads occupy slots in the shorter rows."""
    rng = np.random.Generator(np.random.PCG64([s.seed, 1]))
    rows, longest = len(s.lengths), max(s.lengths)
    mask = torch.tensor([[1] * n + [0] * (longest - n) for n in s.lengths])
    ids = torch.from_numpy(rng.integers(FIRST_TOKEN, s.vocab, (rows, longest))) * mask + PAD * (1 - mask)
    ids = media.place(ids, s)
    ignored = torch.from_numpy(rng.random((rows, longest)) < 0.06) | ~media.is_text(ids)
    ignored[:, 3] = True  # a few real tokens are never labels
    labels = torch.where(ignored | (mask == 0), IGNORED, ids)
    positions = torch.arange(longest).expand(rows, -1).contiguous()
    tokens = dict(input_ids=ids, position_ids=positions, attention_mask=mask, labels=labels)
    if s.head:
        tokens = heads.targets(s, tokens)
    steps = [Step("prefill", tokens, media.inputs(s))]
    if s.history:
        steps, mask = [], mask[:, :0]
    for kind, numbers in follows(s):
        if kind == "skip":
            skipped = continued(rng, s, mask, numbers[0])
            mask = skipped["attention_mask"]
            steps.append(Step("cache", {}, edit=("given", numbers), skipped=skipped))
            continue
        if kind not in cache_edits.CALLS:
            steps.append(edit_of((kind, numbers), mask))
            mask = edited(mask, steps[-1].edit)
            continue
        steps.append(Step(kind, continued(rng, s, mask, numbers[0])))
        mask = steps[-1].tokens["attention_mask"]
    return steps


def continued(rng, s: Settings, mask: torch.Tensor, new: int) -> dict:
    """Tokens of a call of `new` tokens behind those of `mask`."""
    rows, filled = mask.shape
    ids = torch.from_numpy(rng.integers(FIRST_TOKEN, s.vocab, (rows, new)))
    positions = torch.arange(filled, filled + new).expand(rows, -1).contiguous()
    mask = torch.cat([mask, torch.ones(rows, new, dtype=torch.int64)], dim=1)
    return dict(input_ids=ids, position_ids=positions, attention_mask=mask)


def follows(s: Settings) -> list:
    first = [("skip", (s.history,)), ("chunk", (max(s.lengths),))] if s.history else []
    if s.then:
        return first + cache_edits.schedule(s.then)
    return first + [("decode", (1,))] * s.decode + [("chunk", (s.chunk,))] * (s.chunk > 0)


def edit_of(edit: tuple, mask: torch.Tensor) -> Step:
    rows = cache_edits.rows(edit, len(mask))
    return Step("cache", {} if rows is None else {"cache_rows": torch.tensor(rows)}, edit=edit)


def edited(mask: torch.Tensor, edit: tuple) -> torch.Tensor:
    rows = cache_edits.rows(edit, len(mask))
    length = edit[1][0]
    return mask[rows] if rows is not None else mask[:, : length if length >= 0 else mask.shape[1] + length]


def skip(model, step: Step, cache, s: Settings):
    """The cache after the tokens that are not recorded; they run in pieces, because their scores are too many."""
    count = step.skipped["input_ids"].shape[1]
    before = step.skipped["attention_mask"].shape[1] - count
    for first in range(0, 1 if s.drawn else count, PIECE):
        last = min(first + PIECE, 1 if s.drawn else count)
        piece = {name: step.skipped[name][:, first:last] for name in ("input_ids", "position_ids")}
        piece["attention_mask"] = step.skipped["attention_mask"][:, : before + last]
        cache = forward(model, Step("chunk", piece), cache, s).past_key_values
    if s.drawn:
        draw(cache, before, count, s)
    step.filled = copy.deepcopy(cache)
    return cache


def draw(cache, before: int, count: int, s: Settings) -> None:
    """Replaces what the cache holds from slot `before` on by `count` slots of normal numbers."""
    generator = torch.Generator().manual_seed(s.seed + before)
    for layer in cache.layers:
        for name in ("keys", "values", "idx_keys"):
            held = getattr(layer, name, None)
            if held is not None:
                drawn = torch.randn(*held.shape[:-2], count, held.shape[-1], generator=generator).to(held.dtype)
                setattr(layer, name, torch.cat([held[..., :before, :], drawn], dim=-2))


def forward(model, step: Step, cache, s: Settings):
    options = {}
    if s.model == "text01":  # its cache counts layers, not tokens, when layer 0 is linear
        options["cache_position"] = step.tokens["position_ids"][0]
    if s.aux_loss:  # with a mask longer than the call (a filled cache) the package's aux loss cannot be computed
        options["output_router_logits"] = step.kind == "prefill"
    if items_of(step, s):
        options["num_items_in_batch"] = items_of(step, s)
    device = next(model.parameters()).device
    inputs = {name: value.to(device) for name, value in (step.tokens | step.media).items()}
    return model(**inputs, past_key_values=cache, use_cache=True, **options)


def items_of(step: Step, s: Settings) -> int:
    """The count over all micro-batches by which a trainer divides the loss; only calls with labels have one."""
    return s.items if step.kind == "prefill" else 0


def tables(model) -> list:
    """The modules that compute rotary tables."""
    return [module for name, module in model.named_modules() if name.endswith("rotary_emb")]


def recorder_of(s: Settings):
    return Text01Recorder if s.model == "text01" else Recorder


def record(model, text, modeling, steps: list[Step], s: Settings, recorder=None) -> Recorder:
    """Fills step.taps with every tap of the run in the working type."""
    recorder, cache = (recorder or recorder_of(s))(model, text, modeling), static_cache.of(model, steps, s)
    scope = binary64(*tables(model), single_counts=True) if s.dtype == "f64" else nullcontext()
    with torch.no_grad(), scope:
        for number, step in enumerate(steps):
            if step.skipped:
                cache = skip(model, step, cache, s)
                step.taps = cached(cache)
                continue
            if step.edit:
                cache_edits.apply(cache, step.edit)
                step.taps = text01.cached(cache, s, True) if s.model == "text01" else cached(cache)
                continue
            with recorder.call(step.media) as taps:
                output = forward(model, step, cache, s)
            cache = getattr(output, "past_key_values", None)
            step.taps = taps | scalars(output)
            first_or_last = number in (0, len(steps) - 1)
            if cache is None:  # heads of tokens and answers do not return the cache
                continue
            if s.model == "text01":
                step.taps |= text01.cached(cache, s, first_or_last)
            elif first_or_last and not s.skips:
                step.taps |= cached(cache)
    recorder.remove()
    return recorder


def record_exact(model, text_of, modeling, steps: list[Step], s: Settings) -> None:
    """Fills step.exact: a free run of the same calls and the same effective parameters in binary64, on the host."""
    model = copy.deepcopy(model).cpu().double()
    text, cache = text_of(model), static_cache.of(model, steps, s)
    if s.model == "text01":
        text01.widen(model)
    recorder = recorder_of(s)(model, text, modeling)
    with torch.no_grad(), binary64(*tables(model)):
        for step in steps:
            if step.edit:
                cache_edits.apply(cache, step.edit)
                continue
            wide = Step(step.kind, widened(step.tokens), widened(step.media))
            with recorder.call(wide.media) as taps:
                output = forward(model, wide, cache, s)
            cache = getattr(output, "past_key_values", None)
            step.exact = taps | scalars(output)


def widened(tensors: dict) -> dict:
    return {name: value.double() if value.is_floating_point() else value for name, value in tensors.items()}


def undisturbed(model, steps: list[Step], s: Settings) -> list[torch.Tensor | None]:
    """The logits of the calls, run again without any hook or tracer; None for an edit of the cache. What was skipped is
    not run again."""
    logits, cache = [], static_cache.of(model, steps, s)
    with torch.no_grad():
        for step in steps:
            if step.skipped:
                cache = copy.deepcopy(step.filled)
            elif step.edit:
                cache_edits.apply(cache, step.edit)
            if step.edit:
                logits.append(None)
                continue
            output = forward(model, step, cache, s)
            cache = getattr(output, "past_key_values", None)
            logits.append(kept(heads.logits(output)))
    return logits


def scalars(output) -> dict:
    found = {name: getattr(output, name, None) for name in ("loss", "aux_loss")}
    return {name: kept(value) for name, value in found.items() if value is not None}


def cached(cache) -> dict:
    taps = {}
    for index, layer in enumerate(cache.layers):
        prefix = f"text/layers/{index:02d}/cache/"
        taps |= {prefix + "k": kept(layer.keys), prefix + "v": kept(layer.values)}
        if getattr(layer, "idx_keys", None) is not None:
            taps[prefix + "index_k"] = kept(layer.idx_keys)
    return taps
