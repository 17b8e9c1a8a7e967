# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Values out of unmodified Python code: what callables of a class return, and what local variables are bound to."""

from __future__ import annotations

import functools
import inspect
import sys
from collections import defaultdict


class Results:
    """Notes what chosen objects return when they are called. Their classes' __call__ is wrapped while this is open."""

    def __init__(self):
        self.taps: dict[int, str] = {}
        self.found: dict[str, list] = defaultdict(list)
        self.classes: dict[type, object] = {}

    def watch(self, owner, tap: str) -> None:
        self.taps[id(owner)] = tap
        kind = next(base for base in type(owner).__mro__ if "__call__" in vars(base))
        self.classes.setdefault(kind, vars(kind)["__call__"])

    def __enter__(self):
        for kind, original in self.classes.items():
            kind.__call__ = self._noting(original)
        return self

    def __exit__(self, *error):
        for kind, original in self.classes.items():
            kind.__call__ = original

    def _noting(self, original):
        @functools.wraps(original)
        def call(owner, *arguments, **options):
            result = original(owner, *arguments, **options)
            if id(owner) in self.taps:
                self.found[self.taps[id(owner)]].append(result)
            return result

        return call


class Bindings:
    """Notes every object to which watched local variables are bound, in order: found[owner's prefix][name] is a list.

    watch(function, names) declares the variables; the prefix is that of `self` in `prefixes`."""

    def __init__(self, prefixes: dict[int, str]):
        self.prefixes = prefixes
        self.names: dict[object, tuple[str, ...]] = {}
        self.found: dict[str, dict[str, list]] = defaultdict(lambda: defaultdict(list))

    def watch(self, function, *names: str) -> None:
        code = inspect.unwrap(function).__code__
        absent = set(names) - set(code.co_varnames)
        if absent:
            raise LookupError(f"{function.__qualname__} has no variable {', '.join(sorted(absent))}; another release?")
        self.names[code] = names

    def __enter__(self):
        self.previous = sys.gettrace()
        sys.settrace(self._call)
        return self

    def __exit__(self, *error):
        sys.settrace(self.previous)

    def _call(self, frame, event, argument):
        names = self.names.get(frame.f_code)
        prefix = self.prefixes.get(id(frame.f_locals.get("self")))
        if names is None or prefix is None:
            return None
        kept = self.found[prefix]
        given = {name: frame.f_locals.get(name) for name in names}  # arguments are no bindings

        def line(frame, event, argument):
            for name in names:
                value = frame.f_locals.get(name)
                if value is not None and value is not given[name]:
                    given[name] = value
                    kept[name].append(value)
            return line

        return line
