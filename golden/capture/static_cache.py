# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The package's cache of fixed length: buffers of LEN slots, zeros where nothing was written yet."""

from __future__ import annotations

from settings import Settings, SettingsError


def of(model, steps: list, s: Settings):
    """A new static cache, or None for a growing cache, which the package makes itself."""
    if not s.static_slots:
        return None
    from transformers import StaticCache

    used = max(step.tokens["attention_mask"].shape[1] for step in steps if not step.edit)
    if used > s.static_slots:
        raise SettingsError(f"--cache {s.cache}: the calls need {used} slots; give LEN {used} or more")
    for step in steps:
        if step.edit and step.edit[0] not in ("reorder", "crop"):
            raise SettingsError(f"--then {step.edit[0]}: static caches can only be reordered and cropped; use --cache dynamic")
    return StaticCache(config=model.config, max_cache_len=s.static_slots)
