#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""How the time of a verdict falls when a run is spread over processes.

usage: ci/shard_growth.py PROGRAM [--shards 1,2,4] -- RUN...     RUN: what follows `parity run`, without --shard and --json

Every process has one thread. A row of the table: the slowest shard when shards run one after the other, which is the
time on as many idle machines; its efficiency, t(1) / (n t(n)); how even the shards are, mean / slowest; the time when
all run at once here, with the efficiency over the processors there are; and that of the merge. The merged report must
be that of the whole run: same exit code, same counts of records. Exit status 1 if it is not."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1"}


def command(program: str, words: list[str], shard: str, file: pathlib.Path) -> list[str]:
    return [program, "run", *words, "--quiet", "--shard", shard, "--json", str(file)]


def one_after_the_other(commands: list[list[str]]) -> list[float]:
    seconds = []
    for each in commands:
        start = time.monotonic()
        subprocess.run(each, env=ONE_THREAD, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds.append(time.monotonic() - start)
    return seconds


def at_once(commands: list[list[str]]) -> float:
    start = time.monotonic()
    running = [subprocess.Popen(each, env=ONE_THREAD, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
               for each in commands]
    for each in running:
        each.wait()
    return time.monotonic() - start


def answer(file: pathlib.Path) -> tuple[int, dict[str, int]]:
    report = json.loads(file.read_text(encoding="utf-8"))
    return report["exit_code"], report["counts"]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("program")
    parser.add_argument("--shards", default="1,2,4")
    parser.add_argument("run", nargs="+")
    options = parser.parse_args(arguments)
    cores = len(os.sched_getaffinity(0))
    first, whole, same = 0.0, None, True
    print(f"| shards | slowest s | efficiency | even | at once s | of {cores} processors | merge s |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for count in (int(text) for text in options.shards.split(",")):
            files = [pathlib.Path(folder) / f"{count}-{index}.json" for index in range(1, count + 1)]
            commands = [command(options.program, options.run, f"{index}/{count}", file)
                        for index, file in enumerate(files, 1)]
            alone = one_after_the_other(commands)
            together = at_once(commands)
            start = time.monotonic()
            joined = pathlib.Path(folder) / f"{count}.json"
            subprocess.run([options.program, "merge", *map(str, files), "--json", str(joined)], check=False,
                           stdout=subprocess.DEVNULL)
            merging = time.monotonic() - start
            first = first or max(alone) * count
            whole = whole or answer(joined)
            same = same and answer(joined) == whole
            print(f"| {count} | {max(alone):.1f} | {first / count / max(alone):.0%} "
                  f"| {sum(alone) / count / max(alone):.0%} | {together:.1f} "
                  f"| {first / min(count, cores) / together:.0%} | {merging:.2f} |", flush=True)
    print("the merged reports agree" if same else "the merged reports differ")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
