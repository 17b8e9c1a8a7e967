#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that no process outlives the command that started it, and what exit codes mean."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import processes

# Starts a process that sleeps, writes its id into the file, and ends as told.
PARENT = """import pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)
part = pathlib.Path(sys.argv[1] + ".part")
part.write_text(str(child.pid))
part.rename(sys.argv[1])
{end}
"""
CALLER = """import sys
sys.path.insert(0, {here!r})
import processes
processes.exit_on_signals()
processes.run([sys.executable, "-c", sys.argv[2], sys.argv[1]], "the parent")
"""


def is_gone(process: int) -> bool:
    """Within a minute; a zombie, which nobody has waited for, is gone."""
    for _ in range(1200):
        try:
            stat = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
        except FileNotFoundError:
            return True
        if stat.rpartition(") ")[2].startswith("Z"):
            return True
        time.sleep(0.05)
    return False


class Processes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "child"

    def child(self) -> int:
        """The id of the sleeping process, which is stopped after the test, whatever comes of it."""
        for _ in range(1200):
            if self.file.exists() and self.file.read_text(encoding="utf-8"):
                break
            time.sleep(0.05)
        found = int(self.file.read_text(encoding="utf-8"))
        self.addCleanup(lambda: is_gone(found) or os.kill(found, signal.SIGKILL))
        return found

    def run_parent(self, end: str, limit_s: float = 60) -> None:
        processes.run([sys.executable, "-c", PARENT.format(end=end), self.file], "the parent", limit_s=limit_s)

    def test_end_at_the_limit(self):
        with self.assertRaisesRegex(processes.Failed, "the parent took more than 10 s"):
            self.run_parent("time.sleep(600)", 10)

        self.assertTrue(is_gone(self.child()))

    def test_end_with_a_command_that_fails_or_succeeds(self):
        with self.assertRaisesRegex(processes.Failed, "the parent ended with 1:\n  why"):
            self.run_parent("raise SystemExit('why')")
        self.assertTrue(is_gone(self.child()))
        self.file.unlink()
        self.run_parent("")

        self.assertTrue(is_gone(self.child()))

    def test_end_when_the_caller_is_terminated(self):
        script = CALLER.format(here=str(pathlib.Path(__file__).parent))
        caller = subprocess.Popen([sys.executable, "-c", script, self.file, PARENT.format(end="time.sleep(600)")])
        self.addCleanup(caller.kill)
        child = self.child()
        caller.send_signal(signal.SIGTERM)

        self.assertEqual(caller.wait(timeout=60), 128 + signal.SIGTERM)
        self.assertTrue(is_gone(child))


class Results(unittest.TestCase):
    def test_are_the_last_lines_of_both_outputs(self):
        with self.assertRaises(processes.Failed) as caught:
            processes.run([sys.executable, "-c", "print(*range(20), sep='\\n'); raise SystemExit('why')"], "it")

        self.assertEqual(str(caught.exception).split(), "it ended with 1: 9 10 11 12 13 14 15 16 17 18 19 why".split())

    def test_are_absent_if_the_command_says_so(self):
        with self.assertRaisesRegex(processes.Absent, "not built"):
            processes.run([sys.executable, "-c", "import sys; print('not built', file=sys.stderr); sys.exit(77)"], "it")


if __name__ == "__main__":
    unittest.main()
