# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Commands none of whose processes outlives the call that started it, and what their exit codes mean."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys

LIMIT_S = 1800
ABSENT = 77  # exit code: what the command needs is not here
LAST_LINES = 12  # of the output of a command that failed: the first error of a compiler is among them


class Absent(Exception):
    """What an engine needs is not here; the message says how to get it."""


class Failed(Exception):
    """A command ended with an error; the message holds its last lines."""


def exit_on_signals() -> None:
    """SIGTERM and SIGHUP end this process as exceptions do, so that `finish` stops its command."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))


def finish(command: list, what: str, limit_s: float = LIMIT_S, **more) -> subprocess.CompletedProcess:
    """Runs the command in a process group of its own, which is stopped when the command or this function ends."""
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", start_new_session=True, **more) as process:
        try:
            out, err = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            raise Failed(f"{what} took more than {limit_s} s") from None
        finally:
            with contextlib.suppress(ProcessLookupError):  # nobody is left
                os.killpg(process.pid, signal.SIGKILL)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def last_lines(done: subprocess.CompletedProcess) -> str:
    return "\n  ".join((done.stdout + done.stderr).strip().splitlines()[-LAST_LINES:])


def run(command: list, what: str, allowed: tuple[int, ...] = (0,), **more) -> str:
    """The standard output of a command that succeeded; Absent or Failed say why there is none."""
    done = finish(command, what, **more)
    if done.returncode == ABSENT:
        raise Absent(done.stderr.strip())
    if done.returncode not in allowed:
        raise Failed(f"{what} ended with {done.returncode}:\n  {last_lines(done)}")
    return done.stdout
