# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Edits of the cache between calls, through the package's own methods: reorder, select, repeat and crop. A `skip` lets
calls that nobody records fill the cache."""

from __future__ import annotations

import torch

from settings import SettingsError

CALLS = ("decode", "chunk")


def schedule(text: str) -> list[tuple[str, tuple[int, ...]]]:
    """"decode,reorder:1-0,crop:~6,chunk:4" -> [("decode", (1,)), ("reorder", (1, 0)), ("crop", (-6,)), ("chunk", (4,))]"""
    result = []
    for part in filter(None, text.split(",")):
        name, _, numbers = part.partition(":")
        if name not in CALLS + ("reorder", "select", "repeat", "crop", "skip") or (name != "decode" and not numbers):
            raise SettingsError(f"--then {part}: expected decode, chunk:N, skip:N, reorder:1-0, select:0-2, repeat:N, crop:N or crop:~N")
        values = tuple(int(n.replace("~", "-")) for n in numbers.split("-")) if numbers else (1,)
        result.append((name, values))
    return result


def rows(edit: tuple[str, tuple[int, ...]], batch: int) -> list[int] | None:
    """For every row of the edited cache, the index of its row before the edit; None when the rows do not change."""
    name, values = edit
    if name == "crop":
        return None
    return list(values) if name != "repeat" else [row for row in range(batch) for _ in range(values[0])]


def apply(cache, edit: tuple[str, tuple[int, ...]]) -> None:
    name, values = edit
    if name == "reorder":
        cache.reorder_cache(torch.tensor(values))
    elif name == "select":
        cache.batch_select_indices(torch.tensor(values))
    elif name == "repeat":
        cache.batch_repeat_interleave(values[0])
    else:
        try:
            cache.crop(values[0])
        except (ValueError, RuntimeError) as error:  # later releases refuse a length (5.14.1 takes it, 5.20.0 does not)
            hint = "; crop:~N drops N tokens" if values[0] >= 0 else ""
            raise SettingsError(f"--then crop:{values[0]}: this release refuses it: {error}{hint}") from error
