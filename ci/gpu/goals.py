# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Goals of attention on one H200 in bf16 with M3's heads, and what a run of the lane reached."""
from __future__ import annotations

import statistics

K = 1024
# Of published figures of dense kernels on the same GPU: context -> least TFLOP/s of dense prefill.
DENSE_RATE = {8 * K: 520, 16 * K: 560}
# Context -> least time of dense attention over that of MSA (index, selection, sparse attention).
PREFILL_RATIO = {2 * K: 0.97, 4 * K: 0.9, 8 * K: 1.2, 16 * K: 2.1, 32 * K: 3.5, 64 * K: 6.0}
DECODE_RATIO = {16 * K: 1.2, 32 * K: 1.8}
DECODE_US = {16 * K: 14, 32 * K: 16}
HEADS, WIDTH = 64, 128


def seconds(row: dict, column: str) -> float | None:
    """The median of a column: cold in decode, where other layers evict the operands, else warm."""
    cell = row.get("columns", {}).get(column, {})
    samples = cell.get("cold_seconds" if row["phase"] == "decode" else "seconds") or []
    return statistics.median(samples) if samples else None


def goal(what: str, here: float | None, bound: float, at_least: bool = True) -> list[list]:
    if here is None:
        return []
    kept = here >= bound if at_least else here <= bound
    return [[what, f"{here:.3g}", f"{'>=' if at_least else '<='} {bound:g}", "yes" if kept else "**no**"]]


def of_row(row: dict, sdpa: dict[tuple[str, int], float]) -> list[list]:
    phase, context = row["phase"], row["context"]
    dense, sparse, torch = seconds(row, "dense"), seconds(row, "msa"), sdpa.get((phase, context))
    label, found = f"{phase} {context // K}K", []
    ratio = dense / sparse if dense and sparse else None
    if phase == "prefill" and dense and context in DENSE_RATE:
        found += goal(f"{label}: dense, TFLOP/s", 2 * HEADS * WIDTH * context**2 / dense * 1e-12, DENSE_RATE[context])
    ratios = PREFILL_RATIO if phase == "prefill" else DECODE_RATIO
    if context in ratios:
        found += goal(f"{label}: dense / MSA", ratio, ratios[context])
    if phase == "decode" and context in DECODE_US:
        found += goal(f"{label}: MSA, us", sparse * 1e6 if sparse else None, DECODE_US[context], at_least=False)
    if torch and sparse:
        found.append([f"{label}: PyTorch's SDPA / MSA", f"{torch / sparse:.3g}", "-", "-"])
    return found


def rows(table: dict, sdpa: dict) -> list[list]:
    torch = {(row["phase"], row["context"]): statistics.median(row["seconds"]) for row in sdpa.get("rows", [])}
    return [line for row in table.get("rows", []) for line in of_row(row, torch)]
