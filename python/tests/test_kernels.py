# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Signatures are checked when a kernel is declared; no package is needed."""

import unittest

import parity
from parity import program

NEEDS = ()


def full(x, weight, *, eps, gain_offset):
    return x


class Kernels(unittest.TestCase):
    def refused(self, words: str, component: str, function, **options) -> None:
        with self.assertRaises(parity.SignatureError) as caught:
            parity.kernel(component, **options)(function)
        self.assertIn(words, str(caught.exception))

    def test_take_operands_and_parameters_by_name(self):
        mine = parity.kernel("rms_norm")(full)
        self.assertEqual((mine.operands, mine.params), (("x", "weight"), ("eps", "gain_offset")))
        self.assertEqual(mine(7, None, eps=0, gain_offset=0), 7)

    def test_may_leave_out_optional_operands_and_parameters(self):
        mine = parity.kernel("attention_block_sparse")(lambda q, k, v, blocks, *, scale, block_size: None)
        self.assertEqual(mine.operands, ("q", "k", "v", "blocks"))
        self.assertEqual(mine.params, ("scale", "block_size"))

    def test_take_everything_by_stars(self):
        mine = parity.kernel("rms_norm", fixed={"gain_offset": 0.0})(lambda **all: None)
        self.assertEqual((mine.operands, mine.params), (("x", "weight"), ("eps",)))

    def test_with_a_name_that_the_component_lacks_are_refused_with_the_nearest(self):
        self.refused("no operand or parameter 'weights'; did you mean 'weight'?", "rms_norm", lambda x, weights: None)
        self.refused("rms_norm(x, weight, *, eps=1e-06, gain_offset=1.0)", "rms_norm", lambda x, w: None)
        self.refused("'epsilon'", "rms_norm", full, fixed={"epsilon": 1.0})

    def test_without_a_required_operand_are_refused(self):
        self.refused("takes no 'weight'", "rms_norm", lambda x: None)

    def test_by_position_are_refused(self):
        self.refused("by its position", "rms_norm", lambda *all: None)

    def test_of_no_component_are_refused_with_the_nearest(self):
        with self.assertRaisesRegex(ValueError, "did you mean 'rms_norm'"):
            parity.kernel("rmsnorm")(full)

    def test_know_their_library_by_annotations(self):
        def noted(x: "torch.Tensor", weight) -> "torch.Tensor":
            return x

        self.assertEqual(parity.kernel("rms_norm")(noted).arrays, "torch")
        self.assertEqual(parity.kernel("rms_norm")(full).arrays, "numpy")
        with self.assertRaisesRegex(ValueError, "did you mean 'torch'"):
            parity.kernel("rms_norm", arrays="tourch")

    def test_every_declaration_of_the_program_is_read(self):
        known = parity.components()
        self.assertIn("add_norm", known)
        self.assertEqual(known["swiglu"].params["limit"], 7.0)
        self.assertTrue(all(one.outputs for one in known.values()))


class Program(unittest.TestCase):
    def test_says_what_is_wrong_as_it_does_in_a_terminal(self):
        with self.assertRaises(parity.ProgramError) as caught:
            program.run("battery", "rmsnorm")
        self.assertEqual(caught.exception.status, program.USAGE)
        self.assertIn("did you mean 'rms_norm'", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
