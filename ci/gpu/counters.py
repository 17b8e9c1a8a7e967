# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Counters of a GPU, read by ncu, beside those that the PTX machine counted for the same launches."""
from __future__ import annotations

import csv
import json
import pathlib

# Sizes that the PTX machine runs in full in seconds.
CASES = ["rms_norm/tokens-1/bf16", "rms_norm/tokens-512/bf16", "linear/tokens-1/bf16", "router/tokens-512/bf16",
         "attention_block_sparse/decode-16384/bf16"]
# Counter of ours -> metrics of the GPU, which are added up. Sectors are of 32 bytes on both sides.
METRICS = {
    "instructions": ["smsp__inst_executed.sum"],
    "sectors read": ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
    "sectors written": ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
    "requests to read": ["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
    "wavefronts of shared memory": ["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"],
    "bytes of DRAM": ["dram__bytes_read.sum", "dram__bytes_write.sum"],
}
DURATION = "gpu__time_duration.sum"  # ns; the PTX machine has none
# --cache-control all: each launch begins with cold caches. The clocks stay as they are.
OPTIONS = ["--csv", "--page", "raw", "--print-units", "base", "--cache-control", "all", "--clock-control", "none",
           "--metrics", ",".join([DURATION, *(metric for group in METRICS.values() for metric in group)])]


def number(text: str) -> float:
    return float(text.replace(",", ""))


def of_gpu(text: str) -> list[tuple[str, dict[str, float]]]:
    """Of ncu's CSV: kernel and metrics, launch by launch, without the head and the units."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    launches = []
    for row in csv.DictReader(lines):
        if not row.get("ID"):
            continue
        wanted = [DURATION, *(metric for group in METRICS.values() for metric in group)]
        values = {metric: number(row[metric]) for metric in wanted if row.get(metric)}
        launches.append((row["Kernel Name"].split("(")[0], values))
    return launches


def of_machine(document: dict) -> list[tuple[str, dict[str, float]]]:
    """Kernel and counters, launch by launch, of the first case of a document of `parity bench --counters`."""
    launches = []
    for launch in document["cases"][0]["launches"] if document.get("cases") else []:
        total = launch["total"]
        of = total.get("global", {})
        read = [of[traffic] for traffic in ("load", "async") if traffic in of]
        unique = launch.get("unique_bytes", {})
        launches.append((launch["kernel"], {
            "instructions": total["instructions"], "sectors read": sum(each["sectors"] for each in read),
            "sectors written": of.get("store", {}).get("sectors", 0),
            "requests to read": sum(each["requests"] for each in read),
            "wavefronts of shared memory": total.get("shared", {}).get("wavefronts", 0),
            "bytes of DRAM": unique.get("read", 0) + unique.get("written", 0)}))
    return launches


def beside(machine: list, gpu: list) -> list[list]:
    """A row for each counter of the last launches of a call: `bench --counted` makes the call twice."""
    rows = []
    same = [name for name, _ in gpu[-len(machine):]] == [name for name, _ in machine]
    for index, (kernel, counted) in enumerate(machine):
        took = gpu[index - len(machine)][1].get(DURATION) if same and gpu else None
        if took is not None:
            rows.append([kernel, "us", "-", f"{took * 1e-3:g}", "-"])
        for counter, ours in counted.items():
            measured = gpu[index - len(machine)][1] if same and gpu else {}
            known = all(metric in measured for metric in METRICS[counter])
            theirs = sum(measured[metric] for metric in METRICS[counter]) if known else None
            ratio = f"{theirs / ours:.3f}" if theirs is not None and ours else "-"
            rows.append([kernel, counter, f"{ours:g}", "-" if theirs is None else f"{theirs:g}", ratio])
    return rows


def file_of(case: str) -> str:
    return case.replace("/", "-")


def rows(out: pathlib.Path) -> list[list]:
    result = []
    for case in CASES:
        ours, theirs = out / f"machine-counters-{file_of(case)}.json", out / f"gpu-counters-{file_of(case)}.csv"
        if ours.exists():
            gpu = of_gpu(theirs.read_text(encoding="utf-8")) if theirs.exists() else []
            result += beside(of_machine(json.loads(ours.read_text(encoding="utf-8"))), gpu)
    return result
