# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Goldens are read, captures written, and two recordings compared."""

import pathlib
import tempfile
import unittest

import h5py
import numpy as np

import parity
from parity import dtypes

NEEDS = ("numpy", "h5py")
GOLDEN = "m3-text-bf16"
NORM = "steps/000/text/layers/00/attention/q_norm/out"


class Goldens(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.golden = parity.golden(GOLDEN)

    def test_have_taps_with_axes_and_types(self):
        tap = self.golden[NORM]
        self.assertEqual((tap.axes, tap.recorded_type, tap.shape), ("B,S,A,D", "bf16", (2, 53, 6, 8)))
        np.testing.assert_array_equal(dtypes.bf16_values(dtypes.bf16_bits(tap)).reshape(tap.shape), tap)

    def test_have_the_exact_and_the_rounded_value_beside_a_tap(self):
        tap = self.golden[NORM]
        self.assertTrue((np.abs(tap - tap.exact) <= tap.limit).all())
        np.testing.assert_array_equal(dtypes.bf16_values(dtypes.bf16_bits(tap.rounded)).reshape(tap.shape), tap.rounded)
        self.assertGreater((tap.exact != tap.rounded).mean(), 0.5)
        with self.assertRaisesRegex(ValueError, "whole tap"):
            tap[0].exact

    def test_have_operands_by_the_name_of_the_call(self):
        call = NORM.removesuffix("/out")
        rows = self.golden[call + "/x"].astype(np.float64).reshape(2, 53, 6, 8)
        weight = self.golden[call + "/weight"].astype(np.float64)
        norm = rows / np.sqrt((rows**2).mean(-1, keepdims=True) + 1e-6) * (1 + weight)
        np.testing.assert_allclose(norm, self.golden[NORM].exact, rtol=1e-5)

    def test_have_published_weights(self):
        weights = self.golden.weights
        self.assertEqual(weights["language_model.model.embed_tokens.weight"].shape, (36, 20))
        with self.assertRaisesRegex(KeyError, "did you mean"):
            weights["language_model.model.embed_token.weight"]

    def test_say_what_an_ending_is_when_it_is_not_one_tap(self):
        self.assertEqual(self.golden["…/000/text/final_norm/out"].name, "steps/000/text/final_norm/out")
        with self.assertRaisesRegex(parity.NoTap, "12 taps .* end in /q_norm/out"):
            self.golden["…/q_norm/out"]
        with self.assertRaisesRegex(parity.NoTap, "did you mean"):
            self.golden[NORM.replace("q_norm", "q_nrm")]

    def test_are_found_by_name_or_refused_with_the_nearest(self):
        with self.assertRaisesRegex(FileNotFoundError, "did you mean 'm3-text-bf16'"):
            parity.golden("m3-text-bf17")


class Captures(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.path = pathlib.Path(self.scratch.name) / "mine.h5"
        self.golden = parity.golden(GOLDEN)

    def whole(self, **options):
        """A capture of the values of the golden's q_norm of layer 0."""
        made = parity.capture(self.golden, self.path, only="*/layers/00/attention/q_norm/out", **options)
        for call in made.calls:
            made.put(f"{call.name}{NORM.removeprefix('steps/000')}", self.golden[NORM.replace("000", call.name)])
        return made

    def test_of_right_values_hold(self):
        with self.whole(attention="other", x_engine="mine 1.2"):
            pass
        verdict = parity.judge(self.path, golden=GOLDEN, options=["--inputs", "golden"])
        self.assertTrue(verdict)
        self.assertEqual(verdict.report["goldens"][0]["candidate"], f"capture:{self.path}")

    def test_of_a_wrong_value_are_broken_and_explained(self):
        with self.whole() as made:
            made.put(NORM, self.golden[NORM] * np.float32(1.5))
        with self.assertRaises(parity.Broken) as caught:
            parity.judge(self.path, golden=GOLDEN, options=["--inputs", "golden", "--no-explain"])
        self.assertIn(NORM, str(caught.exception))
        self.assertEqual(caught.exception.report["goldens"][0]["first_divergence"]["tap"], NORM)

    def test_that_are_not_filled_are_not_shown(self):
        with parity.capture(self.golden, self.path, only="*/q_norm/out"):
            pass
        with self.assertRaises(parity.NotJudged) as caught:
            parity.judge(self.path, golden=GOLDEN)
        self.assertIn("never filled", str(caught.exception))

    def test_keep_a_wider_type_where_the_goldens_type_would_round(self):
        wide = np.asarray(self.golden[NORM]) * np.float32(1.0000001)
        with self.whole() as made:
            made.put(NORM, wide)
        with h5py.File(self.path) as file:
            np.testing.assert_array_equal(file[NORM][()], wide)
            self.assertEqual(file[NORM].id.get_type().get_size(), 4)
            other = file[NORM.replace("000", "003")]
            self.assertEqual((other.id.get_type().get_size(), other.attrs["computed"]), (2, "yes"))

    def test_take_another_order_of_axes(self):
        with self.whole() as made:
            made.put(NORM, np.asarray(self.golden[NORM]).transpose(0, 2, 1, 3), axes="B,A,S,D")
        self.assertTrue(parity.judge(self.path, golden=GOLDEN, options=["--inputs", "golden"]))

    def test_refuse_what_is_no_tap_or_does_not_fit(self):
        with parity.capture(self.golden, self.path) as made:
            with self.assertRaisesRegex(parity.NoTap, "did you mean"):
                made.put(NORM.replace("q_norm", "q_nrm"), 0)
            with self.assertRaisesRegex(ValueError, r"3 elements; the tap is \(2, 53, 6, 8\)"):
                made.put(NORM, [1, 2, 3])
            with self.assertRaisesRegex(ValueError, "not those of the golden"):
                made.put(NORM, self.golden[NORM], axes="B,S,A,H")
        with self.assertRaisesRegex(TypeError, "did you mean 'attention'"):
            parity.capture(self.golden, self.path, replace=True, atention="sdpa")

    def test_are_not_replaced_unasked(self):
        self.path.write_text("mine")
        with self.assertRaisesRegex(parity.ProgramError, "exists"):
            parity.capture(self.golden, self.path)
        self.assertEqual(self.path.read_text(), "mine")

    def test_declare_what_was_not_computed(self):
        with parity.capture(self.golden, self.path) as made:
            made.skip(taps=["*/loss"], calls="002")
            made.skip(taps="*/mtp/*", rows=1, padding=True)
            self.assertEqual(made.file.attrs["not_computed_taps"], "*/loss */mtp/*")
            self.assertEqual(made.file.attrs["not_computed_rows"], "1")
            self.assertEqual(made.file.attrs["not_computed_padding"], "yes")


class Comparisons(unittest.TestCase):
    def test_of_a_recording_with_itself_are_equal(self):
        self.assertTrue(parity.diff(GOLDEN, parity.golden(GOLDEN)))

    def test_of_two_recordings_name_the_first_layer(self):
        verdict = parity.diff("m3-items", "m3-even-f32")
        self.assertFalse(verdict)
        self.assertEqual(verdict.report["kind"], "diff")
        self.assertIn("steps/", verdict.text)

    def test_with_a_fault_are_explained(self):
        found = parity.explain(GOLDEN, candidate="fault:rms_norm-without-one")
        self.assertIn("rms_norm-without-one", found.text)


if __name__ == "__main__":
    unittest.main()
