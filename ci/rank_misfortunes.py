#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Strikes a drawn rank of `parity run` at drawn moments: kills, stops, aborts it, lets it throw, loop or run out of memory.

Every surviving rank must end with one line that names this rank, with exit code 1, within the timeout, and leave nothing
behind: no process, no shared memory, no temporary file, no report. Rank 0 alone judges. If it runs out of memory while it
judges, the report says so about the golden, as without ranks.

usage: ci/rank_misfortunes.py PROGRAM MODULE [--moments N] [--seed N] [--engine threads|processes|both]
       PROGRAM: build/release/cli/parity      MODULE: build/release/ranks/libparity_misfortune.so
exit status 0: all moments went as they must
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = "golden/data/m3-text-bf16"
RANKS = 8
GOLDEN_OUT_OF_MEMORY = 70  # exit code of a run without ranks, too
KINDS = {
    "threads": ["throw", "loop", "memory"],  # what ends a process ends all its threads
    "processes": ["kill", "stop", "throw", "loop", "memory", "abort", "kill from outside", "stop from outside",
                  "other build"],
}
LINE = re.compile(r"(?:\[\d+,(\d+)\]<stderr>:)?parity: rank (\d+) of (\d+) failed: (.+)")
MARK = "PARITY_MISFORTUNE_OUT="


@dataclass
class Moment:
    engine: str
    kind: str
    rank: int
    count: int  # of the rank's allocations, or milliseconds
    timeout: float


def processes_of(folder: pathlib.Path) -> dict[int, int]:
    """Number by rank (-1: of the launcher) of the processes that were started for this moment."""
    found = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            environment = (entry / "environ").read_bytes().decode(errors="replace").split("\0")
            name = (entry / "comm").read_text().strip()
        except OSError:
            continue
        if MARK + str(folder) not in environment:
            continue
        ranks = [item.split("=")[1] for item in environment if item.startswith("OMPI_COMM_WORLD_RANK=")]
        found[int(entry.name)] = int(ranks[0]) if ranks and name.startswith("parity rank") else -1
    return found


def strike_from_outside(moment: Moment, folder: pathlib.Path, launcher: subprocess.Popen) -> None:
    """Waits until all ranks have met and then for the drawn time, and sends the signal."""
    while launcher.poll() is None:
        ranks = {rank: pid for pid, rank in processes_of(folder).items() if rank >= 0}
        if len(ranks) == RANKS:
            time.sleep(moment.count / 1000.0)
            if launcher.poll() is None:
                try:
                    os.kill(ranks[moment.rank], signal.SIGKILL if moment.kind.startswith("kill") else signal.SIGSTOP)
                except ProcessLookupError:  # it has just ended: the moment came too late
                    return
                (folder / "struck").touch()
            return
        time.sleep(0.02)


def command_of(moment: Moment, options: argparse.Namespace, folder: pathlib.Path) -> list[str]:
    run = [options.program, "run", GOLDEN, "--tp", str(RANKS), "--candidate", "cpu", "--mode", "forced", "--quiet",
           "--no-explain", "--timeout", str(moment.timeout), "--json", str(folder / "report.json")]
    if moment.engine == "threads":
        return ["env", f"LD_PRELOAD={options.module}", *run]
    # On a busy machine, survivors need more than the second that the launcher waits before it kills them, too.
    mpirun = ["mpirun", "--tag-output", "--oversubscribe", "--mca", "odls_base_sigkill_timeout", "4"]
    if moment.kind != "other build":
        return [*mpirun, "-n", str(RANKS), "-x", f"LD_PRELOAD={options.module}", "-x", "PARITY_MISFORTUNE", *run]
    other = [str(other_build(pathlib.Path(options.program), folder)), *run[1:]]
    sets = [(moment.rank, run), (1, other), (RANKS - moment.rank - 1, run)]
    (folder / "struck").touch()
    return mpirun + " : ".join(" ".join(["-n", str(count), *command]) for count, command in sets if count > 0).split()


def other_build(program: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """A copy of the program whose build id differs in a bit, beside the same modules."""
    contents = bytearray(program.read_bytes())
    note = contents.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0")  # sizes of name and id, type, name
    contents[note + 16] ^= 1
    (folder / "other/cli").mkdir(parents=True)
    (folder / "other/ranks").symlink_to(program.parent.parent / "ranks")
    copy = folder / "other/cli/parity"
    copy.write_bytes(contents)
    copy.chmod(0o755)
    return copy


def environment_of(moment: Moment, folder: pathlib.Path) -> dict[str, str]:
    return {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1",
            "TMPDIR": str(folder / "tmp"), "PARITY_MISFORTUNE_OUT": str(folder),
            "PARITY_MISFORTUNE": f"{moment.rank} {moment.kind.replace(' ', '-')} {moment.count}"}


def ended_as_one_process(moment: Moment, folder: pathlib.Path) -> bool:
    """Whether rank 0 ran out of memory where it works alone: the golden is an error of a whole report, as without ranks."""
    report = folder / "report.json"
    if (moment.engine, moment.kind, moment.rank) != ("processes", "memory", 0) or not report.exists():
        return False
    goldens = json.loads(report.read_text())["goldens"]
    return [golden["verdict"] for golden in goldens] == ["error"] and "out of memory" in goldens[0]["reason"]


def complaints(moment: Moment, folder: pathlib.Path, stderr: str, seconds: float, code: int) -> list[str]:
    """What did not go as it must."""
    lines = [match for match in map(LINE.match, stderr.splitlines()) if match]
    found = []
    if ended_as_one_process(moment, folder):
        if code != GOLDEN_OUT_OF_MEMORY:
            found.append(f"exit code {code} instead of {GOLDEN_OUT_OF_MEMORY}, as without ranks")
        if seconds > moment.timeout:
            found.append(f"took {seconds:.1f} s after the strike, with --timeout {moment.timeout}")
        return found
    named = {int(match[2]) for match in lines}
    any_rank = moment.engine == "threads" and moment.kind == "memory"  # which they share
    if len(named) != 1 or not any_rank and named != {moment.rank}:
        found.append(f"named {sorted(named)} instead of {moment.rank}")
    if moment.engine == "threads":
        if len(lines) != 1:
            found.append(f"{len(lines)} lines instead of one")
        if code != 1:
            found.append(f"exit code {code} instead of 1")
    else:
        speakers = [int(match[1]) for match in lines]
        silent = set(range(RANKS)) - set(speakers) - {moment.rank}
        if silent:
            found.append(f"no line of the ranks {sorted(silent)}")
        if len(speakers) != len(set(speakers)):
            found.append(f"several lines of one rank: {sorted(speakers)}")
        codes = [path.read_text() for path in folder.glob("exit.*")]
        if moment.kind == "other build":
            if code != 1:
                found.append(f"exit code {code} instead of 1")
        elif codes.count("1") < RANKS - 1 or set(codes) - {"1"}:
            found.append(f"exit codes {codes} instead of 1 for every survivor")
        if code == 0:
            found.append("the launcher's exit code is 0")
    if seconds > moment.timeout:
        found.append(f"took {seconds:.1f} s after the strike, with --timeout {moment.timeout}")
    if (folder / "report.json").exists():
        found.append("left a report")
    return found


def wait_for_processes(folder: pathlib.Path) -> None:
    """A killed process needs a moment, and the launcher may end before the last rank has written its exit code."""
    until = time.monotonic() + 3.0
    while processes_of(folder) and time.monotonic() < until:
        time.sleep(0.05)


def leftovers(folder: pathlib.Path, shared_before: set[str]) -> list[str]:
    found = [f"process {pid} is left" for pid in processes_of(folder)]
    found += [f"/dev/shm/{name} is left" for name in sorted(set(os.listdir("/dev/shm")) - shared_before)]
    return found + [f"{path} is left" for path in sorted((folder / "tmp").iterdir())]


def run_moment(moment: Moment, options: argparse.Namespace) -> list[str] | None:
    """What went wrong; None if the run was over before the moment came."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="parity-misfortune-"))
    (folder / "tmp").mkdir()
    shared_before = set(os.listdir("/dev/shm"))
    try:
        launcher = subprocess.Popen(command_of(moment, options, folder), env=environment_of(moment, folder), cwd=ROOT,
                                    stdout=subprocess.DEVNULL, stderr=open(folder / "stderr", "w"))
        if moment.kind.endswith("outside"):
            strike_from_outside(moment, folder, launcher)
        try:
            code = launcher.wait(timeout=60 + 3 * moment.timeout)
        except subprocess.TimeoutExpired:
            for pid in processes_of(folder):
                os.kill(pid, signal.SIGKILL)
            launcher.wait()
            return ["did not end"]
        ended = time.time()
        stderr = (folder / "stderr").read_text(errors="replace")
        if not (folder / "struck").exists() or (code == 0 and (folder / "report.json").exists()):
            return None
        wait_for_processes(folder)
        exits = [path.stat().st_mtime for path in folder.glob("exit.*")]
        if moment.engine == "processes" and len(exits) >= RANKS - 1:
            ended = max(exits)  # of the survivors; the launcher takes a second more to kill a stopped rank
        found = complaints(moment, folder, stderr, ended - (folder / "struck").stat().st_mtime, code)
        found += leftovers(folder, shared_before)
        if found and options.verbose:
            print(stderr)
        return found
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def drawn_moments(options: argparse.Namespace):
    """Moments without end; those that come after the end of the run do not count."""
    engines = ["threads", "processes"] if options.engine == "both" else [options.engine]
    draw = random.Random(options.seed)
    number = 0
    while True:
        engine = engines[number % len(engines)]
        kind = KINDS[engine][number // len(engines) % len(KINDS[engine])]
        number += 1
        rank = draw.randrange(RANKS)
        outside = kind.endswith("outside")
        count = draw.randrange(1500) if outside else int(10 ** draw.uniform(0.0, options.decades))
        if engine == "threads" and kind == "memory":
            count += 200  # threads have started: a stack that cannot grow is a signal, which no program survives
        yield Moment(engine, kind, rank, count, options.timeout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("module")
    parser.add_argument("--moments", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=6.0)
    parser.add_argument("--decades", type=float, default=5.0, help="moments are drawn from the first 10^DECADES allocations")
    parser.add_argument("--engine", choices=["threads", "processes", "both"], default="both")
    parser.add_argument("-v", "--verbose", action="store_true")
    options = parser.parse_args()
    options.program = str(pathlib.Path(options.program).resolve())
    options.module = str(pathlib.Path(options.module).resolve())
    struck = bad = late = 0
    for moment in drawn_moments(options):
        found = run_moment(moment, options)
        if found is None:
            late += 1
            if late > 20 + 10 * options.moments:
                print("FAIL  the runs are over before they are struck")
                return 1
            continue
        struck += 1
        bad += bool(found)
        what = f"{moment.engine}, {moment.kind}, rank {moment.rank}, at {moment.count}"
        print(f"{struck:4d}  {'ok  ' if not found else 'FAIL'}  {what}{': ' if found else ''}{'; '.join(found)}", flush=True)
        if struck == options.moments:
            break
    print(f"{'FAIL' if bad else 'PASS'}  {struck - bad} of {struck} moments: one line for each surviving rank, the same rank "
          f"named, exit code 1, within {options.timeout:g} s, nothing left")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
