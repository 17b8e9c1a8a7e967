#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Shows that ci/gpu.sh says what is missing, runs its parts, keeps its limit, and reads times and counters as written."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "ci" / "gpu"))

import counters  # noqa: E402
import goals  # noqa: E402
import machine  # noqa: E402
import summary  # noqa: E402

# A parity that notes how it was called, and writes the document that it is asked for; fails where its arguments hold the
# word in the file `fail`, and has no GPU if there is a file `bare`.
STUB = """#!/bin/bash
here=$(dirname "$0")
if [[ -e $here/bare && " $* " == *" silu "* ]]; then echo "parity: no NVIDIA driver; install one" >&2; exit 4; fi
echo "$*" >>"$here/calls"
while [[ $# -gt 0 ]]; do
  if [[ $1 == --json || $1 == --save ]]; then echo '{"rows": [], "cases": [], "beside": []}' >"$2"; fi
  if [[ -s $here/fail && $1 == "$(<"$here/fail")" ]]; then echo "FAIL  2 of 3"; exit 1; fi
  if [[ -s $here/slow && $1 == "$(<"$here/slow")" ]]; then sleep 30; fi
  shift
done
echo "PASS  3 of 3"
"""
NCU = '''==PROF== Connected to process 7
"ID","Process ID","Kernel Name","smsp__inst_executed.sum","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
"","","","inst","sector"
"0","7","rms_norm_bf16(parity::RmsNormParameters)","900","10"
"1","7","rms_norm_bf16(parity::RmsNormParameters)","1,000","12"
'''
MACHINE = {"cases": [{"launches": [{
    "kernel": "rms_norm_bf16", "unique_bytes": {"read": 64, "written": 32},
    "total": {"instructions": 500, "global": {"load": {"sectors": 12, "requests": 3}}, "shared": {"wavefronts": 4}}}]}]}


class GpuLane(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.stub = self.folder / "parity"
        self.stub.write_text(STUB, encoding="utf-8")
        self.stub.chmod(0o755)

    def run_lane(self, *arguments: str, **more: str) -> subprocess.CompletedProcess:
        environment = os.environ | {"PARITY_GPU_PROGRAM": str(self.stub), "PARITY_GPU_OUT": str(self.folder / "out"),
                                    "PATH": f"{self.folder}:{os.environ['PATH']}"} | more
        return subprocess.run([ROOT / "ci" / "gpu.sh", *arguments], env=environment, capture_output=True, text=True,
                              check=False)

    def summary(self) -> str:
        return (self.folder / "out" / "summary.md").read_text(encoding="utf-8")

    def test_says_in_one_line_that_there_is_no_gpu(self):
        (self.folder / "bare").touch()
        run = self.run_lane()
        self.assertEqual(run.returncode, 4)
        self.assertEqual(run.stderr, "ci/gpu.sh: error: no kernel runs on a GPU here: parity: no NVIDIA driver; "
                                     "install one\n")

    def test_says_in_one_line_that_there_is_no_program(self):
        run = self.run_lane(PARITY_GPU_PROGRAM="/nowhere/parity")
        self.assertEqual((run.returncode, run.stderr.count("\n")), (4, 1))
        self.assertIn("/nowhere/parity is missing", run.stderr)

    def test_compares_each_kernel_with_the_ptx_machine_on_the_cases_of_the_host(self):
        self.assertEqual(self.run_lane("battery").returncode, 0)
        self.assertIn("battery --kernel cuda --beside cuda-host --seed 1 --cases 50",
                      (self.folder / "calls").read_text(encoding="utf-8"))

    def test_goes_on_after_a_part_that_fails(self):
        (self.folder / "fail").write_text("--beside", encoding="utf-8")
        self.assertEqual(self.run_lane("battery", "models").returncode, 1)
        self.assertIn("| battery | fail (1) |", self.summary())
        self.assertIn("| models | pass |", self.summary())

    def test_ends_a_part_at_the_limit_of_the_lane(self):
        (self.folder / "slow").write_text("--candidate", encoding="utf-8")
        self.assertEqual(self.run_lane("models", "times", PARITY_GPU_SECONDS="3").returncode, 1)
        self.assertIn("| models | fail (not done after 3 s) |", self.summary())
        self.assertIn("| times | not run | 0 | no time left |", self.summary())

    def test_names_no_part_that_is_not_there(self):
        self.assertIn("no part matches batery", self.run_lane("batery").stderr)


class Figures(unittest.TestCase):
    def test_sets_the_second_of_two_launches_beside_the_machine(self):
        rows = counters.beside(counters.of_machine(MACHINE), counters.of_gpu(NCU))
        self.assertEqual(rows[0], ["rms_norm_bf16", "instructions", "500", "1000", "2.000"])
        self.assertEqual(rows[1], ["rms_norm_bf16", "sectors read", "12", "12", "1.000"])
        self.assertEqual(rows[5], ["rms_norm_bf16", "bytes of DRAM", "96", "-", "-"])

    def test_compares_no_launches_of_different_kernels(self):
        other = counters.of_gpu(NCU.replace("rms_norm_bf16", "silu_bf16"))
        self.assertEqual({row[3] for row in counters.beside(counters.of_machine(MACHINE), other)}, {"-"})

    def test_holds_times_to_the_goals(self):
        row = {"phase": "prefill", "context": 8192,
               "columns": {"dense": {"seconds": [2e-3, 1e-3, 3e-3]}, "msa": {"seconds": [1e-3]}}}
        rows = goals.rows({"rows": [row]}, {"rows": [{"phase": "prefill", "context": 8192, "seconds": [4e-3]}]})
        self.assertEqual(rows, [["prefill 8K: dense, TFLOP/s", "550", ">= 520", "yes"],
                                ["prefill 8K: dense / MSA", "2", ">= 1.2", "yes"],
                                ["prefill 8K: PyTorch's SDPA / MSA", "4", "-", "-"]])
        row["columns"]["dense"]["seconds"] = [1.1e-3]
        self.assertEqual(goals.rows({"rows": [row]}, {})[1][3], "**no**")

    def test_compares_a_hopper_with_the_machine_that_runs_its_kernels(self):
        said = ["backends           cpu, cuda, cuda-host, cuda-host:checked, cuda-host:sm90",
                "  cuda             cuda:0 (NVIDIA H100, compute capability 9.0, driver for CUDA 13.0)"]
        self.assertEqual(machine.twin(said), "cuda-host:sm90")
        self.assertEqual(machine.twin([said[0], said[1].replace("9.0,", "8.0,")]), "cuda-host")
        self.assertEqual(machine.twin([said[0].replace(", cuda-host:sm90", ""), said[1]]), "cuda-host")

    def test_says_why_a_library_is_absent(self):
        said = ["  cublaslt         no cuBLASLt: neither can be loaded", "  cuda             cuda:0"]
        self.assertEqual(machine.of_backend(said, "cublaslt"), "no cuBLASLt: neither can be loaded")
        self.assertEqual(machine.of_backend(said[1:], "cublaslt"), "this program has no backend cublaslt")

    def test_marks_bits_that_differ_and_must_not(self):
        row = {"component": "silu", "type": "f32", "elements": 9, "different": 1, "ulps": 1.0, "must_be_equal": True,
               "free": [], "holds": False}
        self.assertEqual(summary.bits({"beside": [row]})[0][-2:], ["the same bits", "**differs**"])

    def test_reads_what_the_program_writes(self):
        self.assertEqual(summary.times(json.loads('{"rows": [{"name": "a", "samples": [], "why": "wrong"}]}'))[0][1],
                         "no time: wrong")


if __name__ == "__main__":
    unittest.main()
