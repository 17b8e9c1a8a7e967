# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels of Python are judged: right ones pass, wrong ones fail with the report, and what they do to their process
stays there."""

import os
import unittest

import examples
import numpy as np

import parity

NEEDS = ("numpy", "ml_dtypes")


@parity.kernel("silu")
def silu(x):
    wide = x.astype(np.float32)
    with np.errstate(all="ignore"):
        return wide / (1 + np.exp(-wide))


@parity.kernel("silu")
def tail(x):
    out = silu.function(x)
    out.reshape(-1)[out.size // 8 * 8 :] = 0
    return out


class Judged(unittest.TestCase):
    def test_right_kernels_pass_every_lane(self):
        verdict = parity.judge(silu, cases=12)
        self.assertTrue(verdict)
        (component,) = verdict.report["components"]
        self.assertEqual((component["component"], component["failed"]), ("silu", 0))
        self.assertTrue(all(component["cases_in"].values()), component["cases_in"])
        self.assertIn("PASS", repr(verdict))
        self.assertNotIn("fd:", verdict.text)

    def test_wrong_kernels_are_broken_and_their_case_is_judged_again(self):
        with self.assertRaises(parity.Broken) as caught:
            parity.judge(tail, cases=12)
        report = caught.exception.report["components"][0]
        self.assertGreater(report["failed"], 4)
        self.assertIn('parity.judge(tail, case="', str(caught.exception))
        self.assertFalse(parity.judge(tail, case=report["first"]["reduced"], raises=False))
        self.assertTrue(parity.judge(silu, case=report["first"]["reduced"]))

    def test_a_kernel_that_ends_its_process_fails_and_the_next_case_is_judged(self):
        @parity.kernel("silu", types="f32")
        def dies(x):
            return os._exit(9) if x.size % 2 else silu.function(x)

        verdict = parity.judge(dies, cases=12, raises=False)
        report = verdict.report["components"][0]
        self.assertGreater(report["failed"], 0)
        self.assertLess(report["failed"], report["cases"])

    def test_an_exception_is_told_with_its_line(self):
        @parity.kernel("silu", types="f32")
        def raises(x):
            raise ArithmeticError("nine lives")

        with self.assertRaisesRegex(parity.Broken, "nine lives"):
            parity.judge(raises, cases=2, brief=True)

    def test_cases_that_a_kernel_does_not_claim_are_skipped_and_counted(self):
        @parity.kernel("rms_norm", fixed={"gain_offset": 1.0})
        def norm(x, weight, *, eps):
            wide = x.astype(np.float64)
            return wide / np.sqrt((wide**2).mean(-1, keepdims=True) + eps) * (1 + weight.astype(np.float64))

        report = parity.judge(norm, cases=12, lanes=["boundary"]).report["components"][0]
        self.assertGreater(report["skipped"], 0)
        self.assertGreater(report["cases"], 0)

    def test_no_case_at_all_is_no_verdict(self):
        never = parity.kernel("rms_norm", fixed={"gain_offset": 7.0})(lambda x, weight: x)
        with self.assertRaises((parity.NotJudged, parity.ProgramError, parity.Broken)):
            parity.judge(never, cases=2)

    def test_on_a_golden_layer_by_layer(self):
        @parity.kernel("rms_norm")
        def norm(x, weight, *, eps, gain_offset):
            wide = x.astype(np.float64)
            return wide / np.sqrt((wide**2).mean(-1, keepdims=True) + eps) * (gain_offset + weight.astype(np.float64))

        verdict = parity.judge(norm, golden="m3-text-bf16", options=["--no-explain"])
        records = [one for one in verdict.report["goldens"][0]["records"] if one["component"] == "rms_norm"]
        self.assertGreater(len(records), 4)
        self.assertEqual({one["status"] for one in records}, {"pass"})

    def test_in_a_fresh_interpreter_by_their_file(self):
        self.assertTrue(parity.judge(silu, cases=2, start="fresh"))
        with self.assertRaisesRegex(ValueError, "has to be a function of a file"):
            parity.judge(parity.kernel("silu")(lambda x: x), start="fresh")

    def test_as_the_example_shows(self):
        self.assertRegex(examples.said("silu_numpy.py"), "PASS  0 of [0-9]+ cases failed")

    def test_options_of_the_other_kind_are_refused(self):
        with self.assertRaisesRegex(TypeError, "cases= is for drawn cases"):
            parity.judge(silu, golden="m3-text-bf16", cases=3)
        with self.assertRaisesRegex(TypeError, "select= is for the calls of a golden"):
            parity.judge(silu, select="*")
        with self.assertRaisesRegex(TypeError, "takes a function with @parity.kernel"):
            parity.judge(np.tanh)


if __name__ == "__main__":
    unittest.main()
