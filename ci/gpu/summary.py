# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The page that the GPU lane leaves: parts, bits, times, goals, counters."""
from __future__ import annotations

import dataclasses
import json
import pathlib
import re
import statistics

import counters
import goals


@dataclasses.dataclass
class Part:
    name: str
    result: str  # pass, fail (…), not run
    seconds: float
    line: str

    @property
    def failed(self) -> bool:
        return self.result.startswith("fail")


def last_line(log: pathlib.Path) -> str:
    """The verdict if there is one, else the last line."""
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    verdicts = [line for line in lines if re.match(r"(PASS|FAIL|HOLDS|BROKEN) ", line)]
    return re.sub(r"[\s|]+", " ", (verdicts or lines or ["no output"])[-1])


def read(path: pathlib.Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def table(heads: list[str], rows: list[list]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in lines) + "\n"


def bits(document: dict) -> list[list]:
    return [[row["component"], row["type"], row["elements"], row["different"], f"{row['ulps']:g}",
             "the same bits" if row["must_be_equal"] else " ".join(sorted(row["free"])) or "not known",
             "" if row["holds"] else "**differs**"] for row in document.get("beside", [])]


def times(document: dict) -> list[list]:
    rows = []
    for row in document.get("rows", []):
        if not row["samples"]:
            rows.append([row["name"], f"no time: {row['why']}", "", ""])
            continue
        seconds = statistics.median(row["samples"] + row["again"])
        moved = row["read"] + row["written"]
        rows.append([row["name"], f"{1e6 * seconds:.4g}", f"{moved / seconds * 1e-12:.3f}",
                     f"{row['flops'] / seconds * 1e-12:.2f}"])
    return rows


def markdown(where: dict, parts: list[Part], out: pathlib.Path) -> str:
    gpu = ", ".join(f"{key} {value}" for key, value in where["gpu"].items()) or "none"
    text = "# GPU lane\n\n"
    if where["rehearsal"]:
        text += "**A rehearsal: launches ran on the PTX machine, and times are none.**\n\n"
    text += f"- GPU: {gpu}\n- Commit: {where['commit']}\n"
    text += f"- {where['cores']} cores, {where['processor']}\n\n"
    text += table(["part", "result", "s", "last line"], [[p.name, p.result, f"{p.seconds:.0f}", p.line] for p in parts])
    for title, heads, rows in (
            ("Bits, beside the PTX machine", ["kernel", "type", "elements", "different", "max ulp", "expected", ""],
             bits(read(out / "battery.json")) + bits(read(out / "battery-fused.json"))),
            ("Cold times", ["case", "us", "TB/s", "TFLOP/s"], times(read(out / "times.json"))),
            ("Goals", ["what", "here", "goal", "kept"], goals.rows(read(out / "table.json"), read(out / "sdpa.json"))),
            ("Counters", ["kernel", "counter", "PTX machine", "GPU", "GPU / machine"], counters.rows(out))):
        if rows:
            text += f"\n## {title}\n\n{table(heads, rows)}"
    return text
