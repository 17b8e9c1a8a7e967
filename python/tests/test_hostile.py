# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Python kernels that do what no kernel should: each fails the cases in which it does so, and no other."""

import concurrent.futures
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from parity import program

NEEDS = ("numpy",)

# `strange` is called for an odd number of channels; all other calls are right.
MODULE = """
import ctypes, os, signal, subprocess, sys, threading, time
import numpy

{outside}

def right(x):
    with numpy.errstate(all="ignore"):
        return x / (1 + numpy.exp(-x.astype(numpy.float64)))

def strange(x, out):
    {code}

def silu(x, out):
    result = strange(x, out) if x.shape[-1] % 2 else right(x)
    if result is not out:
        from __main__ import store, store_all
        store(result, out, "out") if not isinstance(result, (tuple, dict)) else store_all(result, {{"out": out}})

silu.parity_types = ("f32",)
"""
SOCKET = 'int(os.environ["PARITY_WORKER_FD"])'
JUDGE = "os.getppid()"


@dataclasses.dataclass
class Strange:
    name: str
    code: str  # of the call
    reason: str = ""  # in the report; empty: the values are wrong
    outside: str = ""
    spoils: bool = False  # what it changed stays, so that later cases of the same process fail, too


TABLE = [
    # ---- it ends
    Strange("reads_null", "return ctypes.string_at(0)", "was ended by SIGSEGV"),
    Strange("aborts", "os.abort()", "was ended by SIGABRT"),
    Strange("exits_at_once", "os._exit(3)", "ended with exit code 3 before it answered"),
    Strange("exits", "sys.exit(0)", "before it answered"),
    Strange("kills_itself", "os.kill(os.getpid(), signal.SIGKILL)", "was ended by SIGKILL"),
    Strange("raises", 'raise ValueError("odd rows")', "ValueError: odd rows (k.py:"),
    Strange("interrupts", "raise KeyboardInterrupt", "was ended by SIGINT"),
    Strange("recurses", "return strange(x, out)", "RecursionError"),
    Strange("wants_too_much_memory", "numpy.ones(1 << 50)", "Unable to allocate"),
    # ---- it does not end
    Strange("loops", "while True: pass", "gave no answer within 1 s"),
    Strange("sleeps", "time.sleep(1000)", "gave no answer within 1 s"),
    Strange("locks_twice", "lock = threading.Lock(); lock.acquire(); lock.acquire()", "gave no answer within 1 s"),
    Strange("stops_itself", "os.kill(os.getpid(), signal.SIGSTOP)", "gave no answer within 1 s"),
    # ---- it writes where it must not
    Strange("assigns_to_its_input", "x[...] = 0", "ValueError: assignment destination is read-only"),
    Strange("unprotects_its_input", "x.setflags(write=True); x[...] = 0", "cannot set WRITEABLE flag"),
    Strange("writes_to_its_input", "ctypes.memset(x.ctypes.data, 0, 4)", "was ended by SIGSEGV"),
    Strange("writes_behind_the_output",
            "out[...] = right(x); ctypes.memset(out.ctypes.data + out.nbytes, 0, 4); return out",
            "wrote outside of the outputs"),
    Strange("writes_before_the_output", "out[...] = right(x); ctypes.memset(out.ctypes.data - 4, 0, 4); return out",
            "wrote outside of the outputs"),
    Strange("writes_nothing", "return out"),
    Strange("returns_its_input", "return x"),
    # ---- it goes on after its answer
    Strange("writes_later", "threading.Thread(target=later, args=(out,), daemon=True).start(); return right(x)",
            "wrote to 'out' after it had answered", "def later(out):\n    while True: out += 1"),
    Strange("computes_later", "threading.Timer(1000, right, (x,)).start(); return out"),
    Strange("crashes_later", "threading.Thread(target=os.abort).start(); time.sleep(0.2); return right(x)",
            "was ended by SIGABRT"),
    # ---- it reaches out
    Strange("leaves_a_fork",
            "if os.fork() == 0: time.sleep(1000)\n    return right(x)", "left 1 other process running"),
    Strange("leaves_a_program", 'subprocess.Popen(["sleep", "1000"]); return right(x)', "left 1 other process running"),
    Strange("kills_the_judge", f"os.kill({JUDGE}, signal.SIGKILL)",
            "PermissionError: [Errno 1] Operation not permitted"),
    Strange("opens_the_judges_memory", f'open(f"/proc/{{{JUDGE}}}/mem", "rb")', "PermissionError"),
    Strange("opens_the_judges_output", f'open(f"/proc/{{{JUDGE}}}/fd/1", "w")', "PermissionError"),
    # ---- it speaks for the worker
    Strange("closes_its_socket", f"os.close({SOCKET})", "before it answered"),
    Strange("answers_itself", f"os.write({SOCKET}, b'{{\"ok\": true, \"id\": 1}}\\n'); time.sleep(0.2)",
            "answered another call than it was asked"),
    Strange("answers_rubbish", f"os.write({SOCKET}, b'PASS\\n'); time.sleep(0.2)", "answered with a line that is not a JSON object"),
    Strange("prints_without_end", "while True: print('x' * (1 << 20))", "printed more than 64 MiB"),
    # ---- it returns something else
    Strange("returns_nothing", "return None", "returned"),
    Strange("returns_a_row", "return right(x)[..., None, :1]", "has the shape"),
    Strange("returns_another_rank", "return right(x)[None]", "has the shape"),
    Strange("returns_a_number", "return 0.5", "has the shape"),
    Strange("returns_text", "return numpy.full(x.shape, 'x')", "ValueError: could not convert"),
    Strange("returns_a_giant", "return numpy.broadcast_to(numpy.float32(1), (1 << 20, 1 << 20))", "1048576"),
    # ---- it changes the worker
    Strange("replaces_store", "import __main__; __main__.store = lambda *_: None; return out", spoils=True),
    Strange("replaces_json", "import json; json.dumps = lambda *_: 'true'; return right(x)", "answered", spoils=True),
    Strange("replaces_exp", "numpy.exp = numpy.abs; return right(x)", spoils=True),
    Strange("replaces_stdout", "sys.stdout = None; return right(x)", "before it answered"),
]


class Hostile(unittest.TestCase):
    def judged(self, strange: Strange) -> tuple[dict, str]:
        with tempfile.TemporaryDirectory() as scratch:
            kernel, report = pathlib.Path(scratch) / "k.py", pathlib.Path(scratch) / "report.json"
            kernel.write_text(MODULE.format(code=strange.code, outside=strange.outside))
            words = ["battery", "--kernel", f"python:{kernel}::silu", "--cases", "6", "--lanes", "anywhere"]
            environment = {**os.environ, "PARITY_PYTHON": sys.executable, "PARITY_PLUGIN_SECONDS": "1"}
            done = subprocess.run([str(program.path()), *words, "--seed", "3", "--json", str(report), "--quiet"],
                                  env=environment, capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode in (0, 1), True, done.stdout + done.stderr)
            (component,) = json.loads(report.read_text())["components"]
            return component, done.stdout

    def test_each_fails_its_cases_and_the_others_are_judged(self):
        right, _ = self.judged(Strange("right", "return right(x)"))
        self.assertEqual((right["cases"], right["failed"]), (6, 0))
        odd, _ = self.judged(Strange("wrong", "return 2 * right(x) + 1"))
        self.assertTrue(0 < odd["failed"] <= 3, odd)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            judged = list(pool.map(self.judged, TABLE))
        for strange, (found, text) in zip(TABLE, judged):
            with self.subTest(strange.name):
                self.assertEqual(found["cases"], 6)
                self.assertIn(strange.reason, text)
                if strange.spoils:
                    self.assertGreaterEqual(found["failed"], odd["failed"])
                else:
                    self.assertEqual(found["failed"], odd["failed"], text)

    def test_words_that_name_no_kernel_are_refused_in_one_line(self):
        with tempfile.TemporaryDirectory() as scratch:
            module = pathlib.Path(scratch) / "k.py"
            module.write_text("def silu(x):\n    return x\n")
            broken = pathlib.Path(scratch) / "broken.py"
            broken.write_text("import silu_of_nowhere\n")
            words = {
                "lib:": "is incomplete; use lib:FILE\n",
                "lib:./no.so": "./no.so: no such file",
                f"lib:{module}": "it cannot be loaded",
                "python:": "is incomplete; use python:FILE::FUNCTION=COMPONENT\n",
                "python:no.py::silu": "no.py: no such file",
                "python:nowhere::silu": "ModuleNotFoundError: No module named 'nowhere'\n",
                f"python:{broken}::silu": "No module named 'silu_of_nowhere' (broken.py:1)\n",
                f"python:{module}": "says what it computes; name one",
                f"python:{module}::gone=silu": "k.py has no gone\n",
                f"python:{module}::silu=nothing": "it computes 'nothing', which is not a component",
                "op:": "is incomplete; use op:FILE::NS::NAME=COMPONENT\n",
                f"op:{module}": "is incomplete; use op:FILE::NS::NAME=COMPONENT\n",
                "op:no.so::a::b": "no.so: no such file",
                f"op:{module}::a::silu": "it cannot be loaded: ",
                "fd:": "is incomplete; use fd:NUMBER\n",
                "fd:99": "fd:99: not an open file descriptor above 2",
            }
            for word, message in words.items():
                with self.subTest(word):
                    done = subprocess.run([str(program.path()), "battery", "--kernel", word, "--quiet"],
                                          env={**os.environ, "PARITY_PYTHON": sys.executable},
                                          capture_output=True, text=True, timeout=60)
                    self.assertEqual((done.returncode, done.stdout), (2, ""))
                    self.assertIn(message, done.stderr)
                    self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_a_custom_op_without_pytorch_is_refused_with_what_is_missing(self):
        with tempfile.TemporaryDirectory() as scratch:
            (pathlib.Path(scratch) / "torch.py").write_text("raise ModuleNotFoundError(\"No module named 'torch'\")\n")
            op = pathlib.Path(scratch) / "k.so"
            op.write_text("")
            done = subprocess.run([str(program.path()), "battery", "--kernel", f"op:{op}::a::silu", "--quiet"],
                                  env={**os.environ, "PARITY_PYTHON": sys.executable, "PYTHONPATH": scratch},
                                  capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("has no PyTorch; let PARITY_PYTHON name one that has it\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
