# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Which tensor of a GGUF file holds which published weight. Needs no package of Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from registry import first_names

EXPERT = re.compile(r"experts\.(\d+)\.(w\d)")  # the file stacks the experts of a layer


def tensors_of(published: Iterable[str], held: Iterable[str], named: Callable[[str], str | None]) -> dict[str, tuple]:
    """Published name -> (name in the GGUF file, the row of an expert or None). `named` is the table of the release.
    Every weight has a tensor and every tensor a weight, because the goldens have text weights only; SystemExit names
    those that have not."""
    found, lost, held = {}, [], set(held)
    for name in published:
        expert = EXPERT.search(name)
        spelt = EXPERT.sub(r"experts.\2", name).removeprefix("language_model.")
        own = named(spelt.replace("e_score_correction_bias", "e_score_correction.bias"))
        if own in held:
            found[name] = (own, int(expert[1]) if expert else None)
        else:
            lost.append(f"{name} ({own or 'no name in the table'})")
    left = sorted(held - {own for own, _ in found.values()})
    if lost:
        raise SystemExit(f"the GGUF file lacks weights of the checkpoint: {first_names(lost)}")
    if left:
        raise SystemExit(f"the GGUF file has tensors that are no weights of the checkpoint: {first_names(left)}")
    return found
