#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Assembles PTX for the GPUs that it is meant for, and fails when a kernel spills registers or ptxas refuses a file.

The program reads the same output of ptxas in benches/counters/assembled.cpp, for the one GPU whose costs `parity bench
--counters` prints. The gate has to assemble every module for every GPU, also of a build without benches.

usage: ci/check_spills.py PTXAS NAME.80.ptx NAME.90a.ptx ...        prints the registers of each kernel
       ci/check_spills.py --every-gpu PTXAS NAME...                   also for GPUs that no kernel is tuned for (nightly)
"""
import pathlib
import re
import subprocess
import sys

# PTX of compute_80 is assembled for the oldest GPU and for the one that most kernels are tuned for.
GPUS = {"80": ["sm_80", "sm_90"], "90a": ["sm_90a"]}
OTHER_GPUS = {"80": ["sm_90a", "sm_100a"], "90a": []}  # what a driver assembles there, and a spill costs time alone
ENTRY = re.compile(r"Compiling entry function '(\w+)' for '(\w+)'")
SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")


def kernels(log: str) -> list[tuple[str, str, int, int]]:
    """Of ptxas -v: kernel, GPU, registers, bytes spilled."""
    found = []
    entry, spilled = ("", ""), 0
    for line in log.splitlines():
        if match := ENTRY.search(line):
            entry, spilled = (match[1], match[2]), 0
        elif match := SPILLS.search(line):
            spilled = max(spilled, int(match[1]) + int(match[2]))
        elif (match := REGISTERS.search(line)) and entry[0]:
            found.append((*entry, int(match[1]), spilled))
    return found


def check(ptxas: str, file: pathlib.Path, every_gpu: bool = False) -> list[str]:
    """Prints a line for each kernel. What is wrong, one line each."""
    wrong, target = [], file.name.split(".")[-2]
    for gpu in GPUS[target] + (OTHER_GPUS[target] if every_gpu else []):
        run = subprocess.run([ptxas, "-v", "--gpu-name", gpu, str(file), "-o", "/dev/null"],
                             capture_output=True, text=True, check=False)
        seen = kernels(run.stderr + run.stdout)
        if run.returncode != 0 or not seen:
            wrong.append(f"{file.name}: ptxas refuses it for {gpu}: {(run.stderr + run.stdout).strip()}")
        for name, of, registers, spilled in seen:
            print(f"{name:32} {of:7} {registers:4} registers{f', {spilled} bytes spilled' if spilled else ''}")
            if spilled > 0 and gpu in GPUS[target]:
                wrong.append(f"{file.name}: {name} spills {spilled} bytes on {of}; make it hold fewer values at a time")
    return wrong


def main(arguments: list[str]) -> int:
    every_gpu = arguments[:1] == ["--every-gpu"]
    arguments = arguments[every_gpu:]
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    wrong = [line for file in arguments[1:] for line in check(arguments[0], pathlib.Path(file), every_gpu)]
    for line in wrong:
        print(f"ci/check_spills.py: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
