# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Times of kernels on the operands of one drawn case: only of kernels that are right on it."""

from __future__ import annotations

import dataclasses
import json
import random
import statistics
import tempfile
import time

from parity import serving, torch_kernels
from parity.kernels import Kernel
from parity.verdicts import Broken, Verdict

RESAMPLES, SHARE = 500, 0.95
SLOWEST_S = 600  # that a measurement may take


@dataclasses.dataclass(frozen=True)
class Times:
    """Seconds of single calls. Two kernels are called in turns, so that both see the same machine."""

    name: str
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def __str__(self) -> str:
        return f"{self.name:<24} {1e6 * self.median:10.1f} us"


@dataclasses.dataclass(frozen=True)
class Bench:
    """Times on one case. ratio: how many times as fast the first is as the second, with an interval of 95 %."""

    case: str
    times: tuple[Times, ...]

    @property
    def ratio(self) -> tuple[float, float, float]:
        """Median of the ratio, its least and its largest: bootstrap over pairs of calls."""
        mine, other = (one.seconds for one in self.times)
        draw, pairs = random.Random(1), range(len(mine))
        found = []
        for _ in range(RESAMPLES):
            chosen = [draw.choice(pairs) for _ in pairs]
            found.append(statistics.median(other[i] for i in chosen) / statistics.median(mine[i] for i in chosen))
        found.sort()
        cut = int(RESAMPLES * (1 - SHARE) / 2)
        return statistics.median(other) / statistics.median(mine), found[cut], found[-cut - 1]

    def __str__(self) -> str:
        lines = [f"case {self.case}, median of {len(self.times[0].seconds)} calls", *map(str, self.times)]
        if len(self.times) == 2:
            ratio, least, most = self.ratio
            word = "faster" if least > 1 else "slower" if most < 1 else "no difference shown"
            lines.append(f"{self.times[0].name} is {ratio:.2f} times as fast ({least:.2f} to {most:.2f}): {word}")
        return "\n".join(lines)

    __repr__ = __str__


def bench(
    kernel: Kernel, against=None, *, case: str | None = None, dtype: str | None = None, seconds: float = 2.0
) -> Bench:
    """Times a kernel, and another one of the same component in turns with it.

    against: a kernel, or "torch": what PyTorch has for the component. case: name of a case; default: one of the lane
    large, of the kernel's first type or `dtype`. seconds: how long each is called. Both are judged on the case before:
    raises Broken if one is wrong. In a fork, torch has one thread.
    """
    if against == "torch":
        against = torch_kernels.of(kernel.component)
    if against is not None and against.component != kernel.component:
        raise ValueError(f"{against.__name__} computes {against.component}, not {kernel.component}")
    case = case or f"{kernel.component}:{dtype or kernel.types[0]}:large:1"
    both = [one for one in (kernel, against) if one is not None]
    for one in both[1:]:
        _run(one, case)
    with tempfile.NamedTemporaryFile("r", suffix=".json") as file:
        _run(kernel, case, lambda calls: _measure(calls, seconds, file.name), both)
        return Bench(case, tuple(Times(one.__name__, tuple(found)) for one, found in zip(both, json.load(file))))


def _run(kernel: Kernel, case: str, measure=None, both=()) -> None:
    """Judges the kernel on the case; then measures, in the worker that computed it. Raises Broken if it is wrong."""
    command = ["battery", "--case", case, "--kernel"]
    limit_s = SLOWEST_S if measure else None
    status, text = serving.run_with(kernel, lambda word: [*command, word], "fork", _after(measure, both), limit_s)
    if status != 0:
        raise Broken(Verdict(text, None, status))


def _after(measure, both):
    """What a worker does after it has computed a call: it has the operands."""
    if measure is None:
        return None
    return lambda operands, params: measure([serving.arguments(one, operands, params) for one in both])


def _measure(calls: list, seconds: float, path: str) -> None:
    """Calls each in turns, and writes the seconds of each call."""
    found: list[list[float]] = [[] for _ in calls]
    for call, wait in calls:
        wait(call())  # what is made once is not timed
    end = time.perf_counter() + seconds * len(calls)
    while time.perf_counter() < end or len(found[0]) < 5:
        for (call, wait), times in zip(calls, found):
            began = time.perf_counter()
            wait(call())
            times.append(time.perf_counter() - began)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(found, file)
