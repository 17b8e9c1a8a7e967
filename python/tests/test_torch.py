# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of torch see the judge's memory, and captures keep torch's bits."""

import pathlib
import tempfile
import unittest

import examples
import numpy as np
import torch

import parity
from parity import arrays, dumps

NEEDS = ("numpy", "h5py", "torch")
NORM = "steps/000/text/layers/00/attention/q_norm/out"


@parity.kernel("rms_norm")
def norm(x, weight, *, eps, gain_offset):
    wide = x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + eps) * (gain_offset + weight.float())).to(x.dtype)


class Torch(unittest.TestCase):
    def test_is_known_by_what_the_module_imports(self):
        self.assertEqual(norm.arrays, "torch")

    def test_operands_share_the_memory(self):
        bits = np.array([0x3F80, 0xC000], np.uint16)
        tensor = arrays.given(bits, "bf16", "torch")
        self.assertEqual(tensor.dtype, torch.bfloat16)
        bits[0] = 0x4040
        self.assertEqual(tensor.tolist(), [3, -2])

    def test_operands_with_negative_strides_are_copied(self):
        self.assertEqual(arrays.given(np.arange(3, dtype=np.float32)[::-1], "f32", "torch").tolist(), [2, 1, 0])

    def test_results_are_rounded_once(self):
        tie = torch.tensor([1 + 2.0**-8 + 2.0**-40, 1 + 2.0**-8], dtype=torch.float64)
        np.testing.assert_array_equal(arrays.taken(tie, "bf16"), [0x3F81, 0x3F80])

    def test_kernels_that_use_threads_survive_the_fork(self):
        torch.ones(2000, 2000) @ torch.ones(2000, 2000)  # makes the pool of threads, which a fork has not
        verdict = parity.judge(norm, cases=8)
        self.assertTrue(verdict)
        self.assertIn("large", verdict.text)

    def test_times_are_those_of_right_kernels_alone(self):
        found = parity.bench(norm, against="torch", case="rms_norm:f32:anywhere:1:S4,H64", seconds=0.05)
        self.assertEqual([one.name for one in found.times], ["norm", "rms_norm"])
        self.assertGreaterEqual(min(len(one.seconds) for one in found.times), 5)
        self.assertRegex(str(found), "norm is [0-9.]+ times as fast")
        wrong = parity.kernel("rms_norm", arrays="torch")(lambda x, weight: x * 3)
        with self.assertRaises(parity.Broken):
            parity.bench(norm, against=wrong, case="rms_norm:f32:anywhere:1:S4,H64")
        with self.assertRaisesRegex(ValueError, "computes silu, not rms_norm"):
            parity.bench(norm, against=parity.kernel("silu")(lambda x: x))

    def test_kernels_judge_goldens(self):
        verdict = parity.judge(norm, golden="m3-text-bf16", options=["--no-explain"], raises=False)
        records = [one for one in verdict.report["goldens"][0]["records"] if one["component"] == "rms_norm"]
        self.assertEqual({one["status"] for one in records}, {"pass"})

    def test_dumps_are_read_by_their_paths(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "dump.pt"
            torch.save({"layers": [{"out": torch.tensor([1.5])}], "step": 3}, path)
            self.assertEqual([(name, read().tolist()) for name, read in dumps.tensors_of(path)], [("layers.0.out", [1.5])])

    def test_as_the_example_shows(self):
        self.assertIn("parity holds", examples.said("rms_norm_torch.py"))

    def test_captures_keep_the_bits_of_bf16(self):
        golden = parity.golden("m3-text-bf16")
        with tempfile.TemporaryDirectory() as folder:
            with parity.capture(golden, pathlib.Path(folder) / "mine.h5") as made:
                made.put(NORM, golden[NORM].torch())
                self.assertEqual(made.file[NORM].id.get_type().get_size(), 2)
                np.testing.assert_array_equal(made.file[NORM][()], golden[NORM])


if __name__ == "__main__":
    unittest.main()
