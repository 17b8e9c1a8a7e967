# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The package's cache of fixed length: buffers of LEN slots, zeros where nothing was written yet."""

from __future__ import annotations

from settings import Settings, SettingsError


def drops_last(edit: tuple) -> bool:
    """Whether the edit drops the last tokens, and the package can do that to its static caches."""
    from transformers.cache_utils import StaticLayer

    return edit[0] == "crop" and edit[1][0] < 0 and hasattr(StaticLayer, "crop")


def of(model, steps: list, s: Settings):
    """A new static cache, or None for a growing cache, which the package makes itself."""
    if not s.static_slots:
        return None
    from transformers import StaticCache

    used = max(step.tokens["attention_mask"].shape[1] for step in steps if not step.edit)
    if used > s.static_slots:
        raise SettingsError(f"--cache {s.cache}: the calls need {used} slots; give LEN {used} or more")
    for step in steps:
        if step.edit and step.edit[0] != "reorder" and not drops_last(step.edit):
            raise SettingsError(f"--then {step.edit[0]}: static caches can only be reordered, and lose their last tokens "
                                "(crop:~N, from transformers 5.24.0 on); use --cache dynamic")
    return StaticCache(config=model.config, max_cache_len=s.static_slots)
