#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a command and fails if it was ever larger than a limit.

usage: ci/peak_memory.py MIB COMMAND...      exit status of the command, or 1 when its largest resident set is above MIB
"""
import resource
import subprocess
import sys


def main(arguments: list[str]) -> int:
    if len(arguments) < 2 or not arguments[0].isdigit():
        print("usage: ci/peak_memory.py MIB COMMAND...", file=sys.stderr)
        return 2
    limit = int(arguments[0])
    status = subprocess.run(arguments[1:], check=False).returncode
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"{'PASS' if status == 0 and peak <= limit else 'FAIL'}  exit status {status}, peak {peak} MiB of {limit}")
    return status if status != 0 else int(peak > limit)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
