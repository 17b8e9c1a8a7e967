# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""For planted bugs inside a long method: replaces one piece of its source."""

from __future__ import annotations

import inspect
import textwrap


def edit(modeling, owner: str, method: str, old: str, new: str) -> None:
    """Recompiles modeling.<owner>.<method> with `old` replaced by `new`; `old` must occur exactly once."""
    target = getattr(modeling, owner)
    source = textwrap.dedent(inspect.getsource(getattr(target, method)))
    source = source[source.index("def "):]  # without decorators
    if source.count(old) != 1:
        raise ValueError(f"{owner}.{method} has {source.count(old)} times: {old}")
    scope = {}
    exec(source.replace(old, new), modeling.__dict__, scope)  # pylint: disable=exec-used
    setattr(target, method, scope[method])
