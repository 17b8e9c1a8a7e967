# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""For planted bugs inside a long method: replaces pieces of its source."""

from __future__ import annotations

import inspect
import textwrap
import types


def rewrite(owner, method: str, *pieces: tuple[str, str]) -> None:
    """Recompiles owner.<method> (of a class, a module or one object) with every old piece replaced by its new one."""
    alone = not inspect.isclass(owner) and not inspect.ismodule(owner)
    function = inspect.unwrap(getattr(type(owner) if alone else owner, method))
    source = textwrap.dedent(inspect.getsource(function))
    source = source[source.index("def "):]  # drops decorators
    for old, new in pieces:
        if old not in source:
            raise ValueError(f"plant of another release: {function.__qualname__} does not contain: {old}")
        source = source.replace(old, new)
    scope = {}
    exec(compile(source, f"<{method} with a planted bug>", "exec"), function.__globals__, scope)  # pylint: disable=exec-used
    setattr(owner, method, types.MethodType(scope[method], owner) if alone else scope[method])


def edit(modeling, owner: str, method: str, old: str, new: str) -> None:
    """Recompiles modeling.<owner>.<method> with `old` replaced by `new`; `old` must occur exactly once."""
    source = inspect.getsource(inspect.unwrap(getattr(getattr(modeling, owner), method)))
    count = textwrap.dedent(source).count(old)
    if count != 1:
        raise ValueError(f"plant of another release: {owner}.{method} contains {count} times, not once: {old}")
    rewrite(getattr(modeling, owner), method, (old, new))
