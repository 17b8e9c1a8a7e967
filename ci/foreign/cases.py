# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Cases: a call of a released kernel, and what it should have computed, in binary64."""
import pathlib
import traceback
from dataclasses import dataclass, field

import numpy as np
import torch

import machine
import packages
import triton_on_machine

CASES = []


@dataclass
class Defect:
    """What the kernel of the release does instead, as triples like a case's: a case that meets them is explained."""
    what: str
    triples: tuple


@dataclass
class Result:
    package: str
    file: str
    sha256: str
    name: str
    verdict: str = "right"  # defect (of the release, explained), wrong, refused, error
    worst: float = 0.0      # error by the tolerance
    note: str = ""
    runs: list[machine.Run] = field(default_factory=list)


def case(package: str, file: str):
    """The function returns triples: what the kernel wrote, what is right, and the largest error that is allowed. Where the
    release is known to be wrong, it returns (triples, Defect)."""

    def add(function):
        CASES.append((package, file, function))
        return function

    return add


def ratio(got, want, allowed) -> float:
    """The largest error by what is allowed; NaN where NaN belongs and equal infinities are no error."""
    got, want = (np.asarray(t.detach().double() if isinstance(t, torch.Tensor) else t, np.float64) for t in (got, want))
    if got.shape != want.shape:
        raise ValueError(f"shape {got.shape}, not {want.shape}")
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    with np.errstate(invalid="ignore"):
        error = np.where(same, 0.0, np.abs(got - want)) / max(allowed, 1e-300)
    return float(np.nan_to_num(error, nan=np.inf).max(initial=0.0))


def worst(triples) -> float:
    return max(ratio(got, want, allowed) for got, want, allowed in triples)


def judge(result: Result, returned, ran: bool) -> None:
    triples, defect = returned if isinstance(returned[-1], Defect) else (returned, None)
    result.worst = worst(triples)
    if result.worst <= 1 and ran:
        result.verdict = "right"
    elif defect and ran and worst(defect.triples) <= 1:
        result.verdict, result.note = "defect", defect.what
    else:
        result.verdict = "wrong"


def run_case(package: str, file: str, function) -> Result:
    version = packages.PACKAGES[package][0]
    path: pathlib.Path = packages.fetch(package) / file
    result = Result(f"{package} {version}", file, packages.digest(path), function.__name__)
    torch.manual_seed(len(function.__name__))
    runs = triton_on_machine.Driver.runs
    runs.clear()
    try:
        judge(result, function(), bool(runs))
    except machine.Refused as error:
        result.verdict, result.note = "refused", str(error)
    except Exception as error:  # what a foreign file raises is its own affair: the next case runs
        result.verdict, result.note = "error", f"{type(error).__name__}: {error}"[:300]
        result.note += " @ " + traceback.format_exc().strip().split("\n")[-3].strip()[-120:]
    result.runs = list(runs)
    return result
