# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What the rows of a study amount to."""
import collections

LEAST_FOUND, MOST_EQUIVALENT = 97.0, 20.0  # percent


def table(rows: list[dict], column: str) -> str:
    """Markdown: mutants and how many were found, by a column."""
    lines = [f"| {column} | mutants | found | equivalent | missed |", "|---|---|---|---|---|"]
    for name in sorted({row[column] for row in rows}):
        of = [row for row in rows if row[column] == name]
        found = sum(1 for row in of if row["killed_by"])
        equivalent = sum(1 for row in of if not row["killed_by"] and row["equivalent"])
        lines.append(f"| {name} | {len(of)} | {found} | {equivalent} | {len(of) - found - equivalent} |")
    return "\n".join(lines)


def score(rows: list[dict]) -> tuple[float, float]:
    """Percent found of those that are no equivalents, and percent of equivalents.

    RuntimeError where a mutant that was found is called equivalent."""
    wrong = [row["key"] for row in rows if row["killed_by"] and row["equivalent"]]
    if wrong:
        raise RuntimeError(f"mutants_equivalent.json calls equivalent what was found: {', '.join(wrong)}; remove them")
    equivalent = sum(1 for row in rows if row["equivalent"])
    found = sum(1 for row in rows if row["killed_by"])
    return 100.0 * found / max(len(rows) - equivalent, 1), 100.0 * equivalent / max(len(rows), 1)


def holds(rows: list[dict]) -> bool:
    found, equivalent = score(rows)
    return bool(rows) and found >= LEAST_FOUND and equivalent <= MOST_EQUIVALENT


def summary(rows: list[dict], redrawn: collections.Counter) -> str:
    """`redrawn`: mutants that were drawn again, by why."""
    found, equivalent = score(rows)
    kinds = collections.Counter(row["killed_by"] for row in rows if row["killed_by"])
    again = ", ".join(f"{count} {why}" for why, count in sorted(redrawn.items())) or "none"
    parts = [table(rows, "operator"), table(rows, "module"), "| found by | mutants |\n|---|---|\n" +
             "\n".join(f"| {kind} | {count} |" for kind, count in kinds.most_common()), f"drawn again: {again}"]
    parts.append(f"{'PASS' if holds(rows) else 'FAIL'}  {sum(kinds.values())} of {len(rows)} mutants found, "
                 f"{found:.1f} % of those that differ (at least {LEAST_FOUND:.0f} %); "
                 f"{equivalent:.1f} % are equivalent (at most {MOST_EQUIVALENT:.0f} %)")
    return "\n\n".join(parts)
